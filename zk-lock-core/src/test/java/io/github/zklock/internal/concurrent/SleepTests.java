package io.github.zklock.internal.concurrent;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(20)
class SleepTests {

	@Test
	void whoIsNotWokenLooksForItself() throws Exception {
		CompletableFuture<Void> awaited = new Unheard();
		assertThat(Sleep.untilDone(awaited, () -> {
			// Behind the last look before the sleep
			awaited.complete(null);
			return Long.MAX_VALUE;
		})).isTrue();
	}

	/** Notifies nobody, as one whose thread has no stack left. */
	private static final class Unheard extends CompletableFuture<Void> {

		@Override
		public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
			return this;
		}

	}

}
