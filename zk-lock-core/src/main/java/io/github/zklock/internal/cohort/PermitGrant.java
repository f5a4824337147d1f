package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * A permit that a caller has by its lane.
 *
 * @param held what the lane has granted it
 * @param leaving lets the caller leave by giving that back
 */
record PermitGrant(LocalGrant held,
		Function<Supplier<CompletionStage<Void>>, CompletionStage<Void>> leaving) implements LocalGrant {

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
		return giveBack(() -> this.held.release(mayLinger));
	}

	@Override
	public void downgrade() {
		this.held.downgrade();
	}

	@Override
	public CompletionStage<Void> forfeit() {
		return giveBack(this.held::forfeit);
	}

	private CompletionStage<Void> giveBack(Supplier<CompletionStage<Void>> giving) {
		this.held.end();
		return this.leaving.apply(giving);
	}

}
