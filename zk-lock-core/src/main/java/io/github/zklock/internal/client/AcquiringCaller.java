package io.github.zklock.internal.client;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.Sleep;
import io.github.zklock.internal.concurrent.Threads;

/**
 * Who called acquire: the name of its thread, the outcome that it waits for, and the
 * sleep of a thread that waits. A part of {@link Acquisition}.
 */
final class AcquiringCaller {

	/*-
	 * The caller's thread sleeps once at most; the engine wakes it when it is next, or ends its wait by an outcome.
	 *
	 * I1: no thread sleeps after an outcome: it looks at the outcome after `sleep` has set its sleep, `complete` and
	 *     `fail` wake after they have completed the outcome. A stage after the outcome would swallow what it throws, for
	 *     want of stack, and leave the thread asleep.
	 */

	private final String name = Threads.name(Thread.currentThread());

	private final CompletableFuture<HeldLock> outcome = new CompletableFuture<>();

	private volatile @Nullable Sleep sleep;

	private volatile boolean woken;

	String name() {
		return this.name;
	}

	CompletableFuture<HeldLock> outcome() {
		return this.outcome;
	}

	void complete(HeldLock handle) {
		this.outcome.complete(handle);
		wake();
	}

	void fail(Throwable cause) {
		this.outcome.completeExceptionally(cause);
		wake();
	}

	/**
	 * Releases the handle of a caller that has given up, if one is made all the same. Not
	 * by the callback that would have brought it, which may have to wait.
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // there may be none to release
	void releaseWhenMade() {
		this.outcome.handle((made, failure) -> {
			if (made != null) {
				made.release(false);
			}
			return null;
		});
	}

	/**
	 * The calling thread sleeps from now on.
	 * @return its sleep, which {@link #isToBeAwake()} ends, and then the outcome
	 */
	Sleep sleep() {
		Sleep asleep = new Sleep();
		this.sleep = asleep;
		return asleep;
	}

	/**
	 * Returns whether there is an outcome, or the thread is to be awake before.
	 * @return whether its sleep is over
	 */
	boolean isToBeAwake() {
		return isWoken() || isDone();
	}

	boolean isWoken() {
		return this.woken;
	}

	boolean isDone() {
		return this.outcome.isDone();
	}

	/**
	 * Returns whether there is a thread to be woken.
	 * @return false where a future is waited for; it stays true when the thread is awake
	 */
	boolean isAsleep() {
		return this.sleep != null;
	}

	/** Wakes the thread, if there is one. */
	void wake() {
		Sleep asleep = this.sleep;
		if (asleep != null) {
			this.woken = true;
			asleep.look();
		}
	}

}
