package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;

/**
 * Local grants that were granted in one go, and can be given back in one go.
 */
final class GrantGroup {

	private final int size;

	private final Supplier<CompletionStage<Void>> leaving;

	private GrantGroup(int size, Supplier<CompletionStage<Void>> leaving) {
		this.size = size;
		this.leaving = leaving;
	}

	/**
	 * Creates the local grants of a caller who has some grants alone.
	 * @param grants the grants
	 * @param failures is notified of what releasing one of them throws
	 * @param leaving gives them all back
	 * @return the local grants, in the same order
	 */
	static List<LocalGrant> of(List<Grant> grants, StepFailures failures, Supplier<CompletionStage<Void>> leaving) {
		GrantGroup group = new GrantGroup(grants.size(), leaving);
		return grants.stream().map((grant) -> CallerGrant.whole(grant, failures, group)).toList();
	}

	boolean isAll(List<LocalGrant> some) {
		return some.size() == this.size && some.stream().allMatch((localGrant) -> localGrant.group() == this);
	}

	/**
	 * Gives all of them back.
	 * @param all all of them
	 * @return completes with null when nothing is left in ZooKeeper; never exceptionally
	 */
	CompletionStage<Void> release(List<LocalGrant> all) {
		all.forEach(LocalGrant::end);
		return this.leaving.get();
	}

}
