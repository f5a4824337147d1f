package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;

/**
 * A local contender in a lane, and whose it is.
 */
final class LaneContender implements LocalContenderListener {

	/*-
	 * It may become another caller's while it waits, in a step of the permit cohort. So what its lane reports becomes
	 * a step there, too, and is for the caller whose it is then. Only one that tries once is the same caller's to its
	 * end.
	 */

	private final PermitCohort cohort;

	private final int lane;

	private volatile PermitCaller caller;

	private volatile @Nullable LocalContender local;

	private boolean lossReported;

	LaneContender(PermitCohort cohort, int lane, PermitCaller caller) {
		this.cohort = cohort;
		this.lane = lane;
		this.caller = caller;
	}

	int lane() {
		return this.lane;
	}

	PermitCaller caller() {
		return this.caller;
	}

	void becomes(PermitCaller another) {
		this.caller = another;
	}

	void enter() {
		this.local = this.cohort.enter(this.lane, this.caller, this);
	}

	CompletionStage<Void> leave() {
		LocalContender entered = this.local;
		return (entered != null) ? entered.leave() : CompletableFuture.completedStage(null);
	}

	/**
	 * Its caller has left before it was granted.
	 * @param held what nobody has a use for
	 */
	void grantedTooLate(LocalGrant held) {
		// What has entered was left by then
		if (this.local == null) {
			held.release();
		}
	}

	@Nullable Blocker blocker() {
		LocalContender entered = this.local;
		return (entered != null) ? entered.blocker() : null;
	}

	@Nullable Exception disturbance() {
		LocalContender entered = this.local;
		return (entered != null) ? entered.disturbance() : null;
	}

	/**
	 * Reports a loss, if it was not reported. A step.
	 * @param key the key
	 * @param reason why
	 */
	void reportLoss(String key, LostReason reason) {
		if (!this.lossReported) {
			this.lossReported = true;
			this.caller.lost(key, reason);
		}
	}

	// What the lane reports

	@Override
	public long remainingNanos() {
		return this.caller.remainingNanos();
	}

	@Override
	public void granted(List<LocalGrant> localGrants) {
		this.cohort.granted(this, localGrants.get(0));
	}

	@Override
	public void busy(Blocker blocker) {
		this.caller.busy(blocker);
	}

	@Override
	public void failed(LockException cause) {
		this.cohort.failed(this, cause);
	}

	@Override
	public void lost(String key, LostReason reason) {
		this.cohort.lost(this, key, reason);
	}

}
