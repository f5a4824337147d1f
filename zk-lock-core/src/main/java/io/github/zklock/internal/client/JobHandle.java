package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;

/**
 * The handle of a job's run: its release notes how the run has ended.
 */
final class JobHandle implements LockHandle {

	private final LockHandle lock;

	private final JobMarks.Run run;

	private final AtomicBoolean over = new AtomicBoolean();

	private volatile @Nullable Throwable failure;

	JobHandle(LockHandle lock, JobMarks.Run run) {
		this.lock = lock;
		this.run = run;
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
		end();
		this.lock.release();
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		end();
		return this.lock.releaseAsync();
	}

	private void end() {
		if (this.over.compareAndSet(false, true)) {
			Throwable cause = this.failure;
			if (!this.lock.isHeld()) {
				this.run.ended("lost");
			}
			else {
				this.run.ended((cause != null) ? "failed: " + cause.getClass().getName() : "ok");
			}
		}
	}

	@Override
	public String toString() {
		return this.lock.toString();
	}

}
