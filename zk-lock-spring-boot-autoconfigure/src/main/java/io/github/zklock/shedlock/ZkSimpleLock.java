package io.github.zklock.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;

/**
 * A lock that ShedLock holds.
 */
final class ZkSimpleLock extends AbstractSimpleLock {

	/*-
	 * To extend is to enter again with the new bounds and to leave with the old ones: the key is
	 * never free in between. If the old bound was over in that moment both are lost. Whatever
	 * comes of it ShedLock does not unlock the old lock any more, so it is released here.
	 */

	private final ZkLockProvider provider;

	private final Object owner;

	private final LockHandle handle;

	private final long lockedAt;

	ZkSimpleLock(ZkLockProvider provider, LockConfiguration configuration, Object owner, LockHandle handle,
			long lockedAt) {
		super(configuration);
		this.provider = provider;
		this.owner = owner;
		this.handle = handle;
		this.lockedAt = lockedAt;
	}

	// A client that is closed has nothing left to release
	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // a release never fails
	protected void doUnlock() {
		this.handle.ended();
		long remaining = left(this.lockConfiguration.getLockAtLeastFor());
		if (remaining <= 0) {
			this.handle.release();
		}
		else {
			CompletableFuture<@Nullable Void> over = new CompletableFuture<@Nullable Void>().completeOnTimeout(null,
					remaining, TimeUnit.NANOSECONDS);
			this.handle.onLost(() -> over.complete(null));
			over.thenRun(this.handle::release);
		}
	}

	private long left(Duration bound) {
		return TimeUnit.NANOSECONDS.convert(bound) - (this.provider.now() - this.lockedAt);
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
		if (!isHeld()) {
			return Optional.empty();
		}
		Optional<ZkSimpleLock> extended = this.provider.extend(newConfiguration, this.owner);
		release();
		return extended.filter(ZkSimpleLock::isHeld).map((lock) -> lock);
	}

	private void release() {
		this.handle.ended();
		this.handle.release();
	}

	private boolean isHeld() {
		if (!this.handle.isHeld()) {
			this.handle.release();
			return false;
		}
		return true;
	}

}
