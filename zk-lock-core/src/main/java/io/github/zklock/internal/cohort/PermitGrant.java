package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A permit that a caller has by its lane.
 *
 * @param held what the lane has granted it
 * @param leaving lets the caller leave by giving that back
 */
record PermitGrant(LocalGrant held,
		Function<Supplier<CompletionStage<Void>>, CompletionStage<Void>> leaving) implements WrappedGrant {

	@Override
	public CompletionStage<Void> release(boolean mayLinger) {
		return giveBack(() -> this.held.release(mayLinger));
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
