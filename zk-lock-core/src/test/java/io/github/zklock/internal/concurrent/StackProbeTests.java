package io.github.zklock.internal.concurrent;

import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StackProbeTests {

	private static final int STACK = 1 << 20;

	@Test
	void aFrameTakesAsMuchStackWhenItIsCompiled() throws Exception {
		assertThat(onAStackOfOneMiB(() -> bytesOfAFrame(StackProbe::require))).isBetween(250, 2500);
		assertThat(onAStackOfOneMiB(() -> {
			for (int i = 0; i < 50_000; i++) {
				StackProbe.requireLeast();
			}
			return bytesOfAFrame(StackProbe::require);
		})).isBetween(250, 2500);
	}

	@Test
	void aWideFrameTakesFourTimesAsMuch() throws Exception {
		assertThat(onAStackOfOneMiB(() -> bytesOfAFrame(StackProbe::requireWide))).isBetween(1000, 10_000);
		assertThat(onAStackOfOneMiB(() -> {
			for (int i = 0; i < 50_000; i++) {
				StackProbe.require();
			}
			return bytesOfAFrame(StackProbe::requireWide);
		})).isBetween(1000, 10_000);
	}

	private static int bytesOfAFrame(IntConsumer probe) {
		int enough = 1;
		int tooMany = STACK;
		while (tooMany - enough > 1) {
			int middle = (enough + tooMany) / 2;
			if (isThereStackFor(middle, probe)) {
				enough = middle;
			}
			else {
				tooMany = middle;
			}
		}
		return STACK / enough;
	}

	private static boolean isThereStackFor(int frames, IntConsumer probe) {
		try {
			probe.accept(frames);
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
