package io.github.zklock;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * What an instance is in an election. What the states mean is said in
 * {@link LockElection}.
 */
sealed interface ElectionState {

	/**
	 * A caller wants this instance to be a candidate.
	 * @param asking what it is if it was none
	 * @return the next state, or the same
	 */
	default ElectionState candidate(Asking asking) {
		return this;
	}

	/**
	 * A caller gives up.
	 * @param next what comes then
	 * @return the next state, or the same
	 */
	default ElectionState left(Next next) {
		return (next == Next.ASK) ? this : Still.of(next);
	}

	/**
	 * The lock of a term has gone.
	 * @param term the term
	 * @param asking what this instance is if it is still a candidate
	 * @return the next state, or the same
	 */
	default ElectionState resigned(LeaderTerm term, Asking asking) {
		return this;
	}

	/** What comes after a term. */
	enum Next {

		ASK, REST, CLOSE

	}

	/** No candidate. */
	enum Still implements ElectionState {

		RESTING, CLOSED;

		static Still of(Next next) {
			return (next == Next.CLOSE) ? CLOSED : RESTING;
		}

		@Override
		public ElectionState candidate(Asking asking) {
			return (this == RESTING) ? asking : this;
		}

		@Override
		public ElectionState left(Next next) {
			return (this == RESTING) ? of(next) : this;
		}

	}

	/** Queued for the lock. */
	final class Asking implements ElectionState {

		private final int failures;

		private volatile @Nullable CompletableFuture<LockHandle> answer;

		Asking(int failures) {
			this.failures = failures;
		}

		int failures() {
			return this.failures;
		}

		/**
		 * The request was made.
		 * @param request its answer to come
		 */
		void made(CompletableFuture<LockHandle> request) {
			this.answer = request;
		}

		// The request is made after the step to this state, so who makes it looks at
		// the state again.
		void cancel() {
			CompletableFuture<LockHandle> made = this.answer;
			if (made != null) {
				made.cancel(false);
			}
		}

	}

	/** Waits before it asks again. */
	final class Pausing implements ElectionState {

	}

	/**
	 * Holds the lock.
	 *
	 * @param term the term
	 */
	record Leading(LeaderTerm term) implements ElectionState {

		@Override
		public ElectionState left(Next next) {
			return new Resigning(this.term, next);
		}

	}

	/**
	 * Gives the lock up.
	 *
	 * @param term the term that is over
	 * @param next what comes then
	 */
	record Resigning(LeaderTerm term, Next next) implements ElectionState {

		@Override
		public ElectionState candidate(Asking asking) {
			return (this.next == Next.REST) ? new Resigning(this.term, Next.ASK) : this;
		}

		@Override
		public ElectionState left(Next after) {
			return (this.next == Next.CLOSE || after == Next.ASK) ? this : new Resigning(this.term, after);
		}

		@Override
		public ElectionState resigned(LeaderTerm over, Asking asking) {
			if (over != this.term) {
				return this;
			}
			return (this.next == Next.ASK) ? asking : Still.of(this.next);
		}

	}

}
