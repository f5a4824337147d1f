package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * A strategy that is broken on purpose: it asks nobody and excludes nobody.
 */
final class GrantsAtOnceStrategy implements LockStrategy {

	private static final AtomicLong COUNT = new AtomicLong();

	@Override
	public Contender enter(LockAttempt attempt, ContenderListener listener) {
		List<Grant> grants = attempt.keys().stream().map((key) -> (Grant) new Freebie(key, attempt.mode())).toList();
		listener.granted(grants);
		return () -> CompletableFuture.completedStage(null);
	}

	@Override
	public CompletionStage<LockQueue> line(String key) {
		return CompletableFuture.completedStage(new LockQueue(key, List.of()));
	}

	private static final class Freebie implements Grant {

		private final String key;

		private final LockMode mode;

		private final long token = COUNT.incrementAndGet() * Grant.TOKENS;

		private volatile boolean released;

		private Freebie(String key, LockMode mode) {
			this.key = key;
			this.mode = mode;
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public LockMode mode() {
			return this.mode;
		}

		@Override
		public long firstToken() {
			return this.token;
		}

		@Override
		public boolean isValid() {
			return !this.released;
		}

		@Override
		public CompletionStage<Void> whenContended() {
			return new CompletableFuture<>();
		}

		@Override
		public CompletionStage<Void> release() {
			this.released = true;
			return CompletableFuture.completedStage(null);
		}

	}

}
