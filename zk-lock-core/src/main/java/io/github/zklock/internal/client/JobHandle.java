package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;

/**
 * The handle of a job's run: its release notes how the run has ended, and leaves the lock
 * behind that. So nobody gets the lock and takes a run for one whose instance has died.
 */
final class JobHandle implements LockHandle {

	private final HeldLock lock;

	private final JobMarks.Run run;

	private volatile @Nullable Throwable failure;

	JobHandle(HeldLock lock, JobMarks.Run run) {
		this.lock = lock;
		this.run = run;
		lock.endWith(this::end);
	}

	@Override
	public String key() {
		return this.lock.key();
	}

	@Override
	public List<String> keys() {
		return this.lock.keys();
	}

	@Override
	public LockMode mode() {
		return this.lock.mode();
	}

	@Override
	public LockMode mode(String key) {
		return this.lock.mode(key);
	}

	@Override
	public long fencingToken() {
		return this.lock.fencingToken();
	}

	@Override
	public long fencingToken(String key) {
		return this.lock.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return this.lock.isHeld();
	}

	@Override
	public void onLost(Runnable action) {
		this.lock.onLost(action);
	}

	@Override
	public void onContended(Consumer<? super WaitingCaller> action) {
		this.lock.onContended(action);
	}

	@Override
	public void downgrade() {
		this.lock.downgrade();
	}

	@Override
	public void failed(Throwable cause) {
		this.failure = cause;
	}

	@Override
	public void release() {
		this.lock.release();
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return this.lock.releaseAsync();
	}

	/** Nobody gets it. */
	void takeBack() {
		this.lock.endWith(null);
		this.run.takeBack();
	}

	private CompletionStage<Void> end(boolean held) {
		Throwable cause = this.failure;
		String ended = (cause != null) ? "failed: " + cause.getClass().getName() : "ok";
		return this.run.ended(held ? ended : JobMarks.LOST, held);
	}

	@Override
	public String toString() {
		return this.lock.toString();
	}

}
