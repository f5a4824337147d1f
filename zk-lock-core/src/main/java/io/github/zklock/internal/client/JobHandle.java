package io.github.zklock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.zklock.DelegatingLockHandle;
import io.github.zklock.internal.concurrent.StackProbe;

/**
 * The handle of a job's run: its release, or the end of its work before that, notes how
 * the run has ended, once; the lock is left after that. So nobody gets the lock and takes
 * a run for one whose instance has died.
 */
final class JobHandle extends DelegatingLockHandle {

	private static final String OK = "ok";

	private final HeldLock lock;

	private final JobMarks.Run run;

	private final AtomicBoolean over = new AtomicBoolean();

	private final CompletableFuture<Void> noted = new CompletableFuture<>();

	private volatile String outcome = OK;

	JobHandle(HeldLock lock, JobMarks.Run run) {
		super(lock);
		this.lock = lock;
		this.run = run;
		lock.endWith(this::end);
	}

	@Override
	public void failed(Throwable cause) {
		this.outcome = "failed: " + cause.getClass().getName();
	}

	@Override
	public void ended() {
		StackProbe.require();
		if (isHeld()) {
			this.outcome = this.outcome.equals(OK) ? "ended" : this.outcome;
			end(true);
			this.lock.ended();
		}
	}

	/**
	 * Nobody gets it: takes the run back.
	 * @return false if that was done before, and so is the lock's release
	 */
	boolean takeBack() {
		this.lock.endWith(null);
		boolean first = this.over.compareAndSet(false, true);
		if (first) {
			this.run.takeBack();
		}
		return first;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // it never fails
	private CompletionStage<Void> end(boolean held) {
		if (this.over.compareAndSet(false, true)) {
			this.run.ended(held ? this.outcome : JobMarks.LOST, held).thenRun(() -> this.noted.complete(null));
		}
		return this.noted;
	}

}
