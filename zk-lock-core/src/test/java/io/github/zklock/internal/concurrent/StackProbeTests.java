package io.github.zklock.internal.concurrent;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StackProbeTests {

	private static final int STACK = 1 << 20;

	@Test
	void aFrameTakesAsMuchStackWhenItIsCompiled() throws Exception {
		assertThat(onAStackOfOneMiB(StackProbeTests::bytesOfAFrame)).isBetween(250, 2500);
		assertThat(onAStackOfOneMiB(() -> {
			for (int i = 0; i < 50_000; i++) {
				StackProbe.requireLeast();
			}
			return bytesOfAFrame();
		})).isBetween(250, 2500);
	}

	private static int bytesOfAFrame() {
		int enough = 1;
		int tooMany = STACK;
		while (tooMany - enough > 1) {
			int middle = (enough + tooMany) / 2;
			if (isThereStackFor(middle)) {
				enough = middle;
			}
			else {
				tooMany = middle;
			}
		}
		return STACK / enough;
	}

	private static boolean isThereStackFor(int frames) {
		try {
			StackProbe.require(frames);
			return true;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

	private static <T> T onAStackOfOneMiB(Supplier<T> action) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		Thread thread = new Thread(null, () -> result.complete(action.get()), "probing", STACK);
		thread.start();
		return result.get();
	}

}
