package io.github.zklock;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One term of a leader: the lock, and the work that was begun under it.
 */
final class LeaderTerm {

	/*-
	 * The election has one share of the lock, and each work that was begun another. Any
	 * thread begins and ends work; the election ends its share once.
	 *
	 * I1: `shares` never rises from zero; the thread that brings it there releases the lock,
	 *     once. If the release throws, for want of stack, the thread takes its share back: the
	 *     work has not ended.
	 * I2: work that has not ended when the lock is lost is notified of it: `LeaderHandle.onLost`
	 *     looks at `lost` after it has added an action, `lost` reads the works after it has set it,
	 *     and the handle runs each action once.
	 * I3: work that has ended is not remembered, however long the term is: neither is what waits
	 *     for the release, as a copy of a future does.
	 */

	private final LockHandle lock;

	private final AtomicInteger shares = new AtomicInteger(1);

	private final Set<LeaderHandle> works = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile boolean lost;

	/** Whether the listener knows of it. Of the election's own thread. */
	boolean announced;

	LeaderTerm(LockHandle lock) {
		this.lock = lock;
	}

	LockHandle lock() {
		return this.lock;
	}

	long number() {
		return this.lock.fencingToken();
	}

	boolean isHeld() {
		return this.lock.isHeld();
	}

	boolean isLost() {
		return this.lost;
	}

	/**
	 * Counts what the term keeps of work.
	 * @return how much has not ended, and how many wait for the release
	 */
	int remembered() {
		return this.works.size() + this.released.getNumberOfDependents();
	}

	boolean isReleased() {
		return this.released.isDone();
	}

	/**
	 * Begins some work.
	 * @return its handle, or empty if the lock is released already
	 */
	Optional<LockHandle> enter() {
		int count = this.shares.get();
		while (count > 0 && !this.shares.compareAndSet(count, count + 1)) {
			count = this.shares.get();
		}
		if (count == 0) {
			return Optional.empty();
		}
		LeaderHandle work = new LeaderHandle(this);
		this.works.add(work);
		return Optional.of(work);
	}

	// Work has ended, and its share
	void remove(LeaderHandle work) {
		this.works.remove(work);
	}

	/** Ends one share. */
	void exit() {
		if (this.shares.decrementAndGet() == 0) {
			try {
				release();
			}
			catch (Throwable ex) {
				this.shares.set(1);
				throw ex;
			}
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // a release never fails after its call
	private void release() {
		CompletableFuture<Void> sent = this.lock.releaseAsync();
		sent.whenComplete((nothing, failure) -> this.gone.complete(null));
		this.released.complete(null);
	}

	/** The lock is lost. */
	void lost() {
		this.lost = true;
		this.works.forEach(LeaderHandle::runLostActions);
	}

	/**
	 * Reports when all shares have ended and the release was sent.
	 * @return completes with null; completing it from outside has no effect
	 */
	CompletableFuture<Void> released() {
		return this.released.copy();
	}

	/**
	 * Reports when the lock's node has gone, too.
	 * @return completes with null; completing it from outside has no effect
	 */
	CompletableFuture<Void> gone() {
		return this.gone.copy();
	}

}
