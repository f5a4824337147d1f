package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * A permit that a caller has by its lane.
 *
 * @param caller the caller
 * @param held what the lane has granted it
 */
record PermitGrant(PermitCaller caller, LocalGrant held) implements LocalGrant {

	@Override
	public String key() {
		return this.held.key();
	}

	@Override
	public LockMode mode() {
		return this.held.mode();
	}

	@Override
	public long token() {
		return this.held.token();
	}

	@Override
	public boolean isHandedOff() {
		return this.held.isHandedOff();
	}

	@Override
	public boolean isValid() {
		return this.held.isValid();
	}

	@Override
	public Grant grant() {
		return this.held.grant();
	}

	@Override
	public CompletionStage<Void> release(boolean mayLinger) {
		return this.caller.giveBack(this.held, () -> this.held.release(mayLinger));
	}

	@Override
	public void downgrade() {
		this.held.downgrade();
	}

	@Override
	public CompletionStage<Void> forfeit() {
		return this.caller.giveBack(this.held, this.held::forfeit);
	}

}
