package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;

import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;

/**
 * A local caller that holds a cohort's grant.
 */
interface GrantHolder {

	/**
	 * Describes this holder as the one in the way of others.
	 * @return who holds
	 */
	Blocker asHolder();

	/**
	 * The grant was lost before this holder gave it back.
	 * @param reason why
	 */
	void lost(LostReason reason);

	/**
	 * This holder has given the grant back, and is over when its node is gone.
	 * @param node completes when nothing is left that only this holder wanted
	 */
	void goneWith(CompletionStage<Void> node);

}
