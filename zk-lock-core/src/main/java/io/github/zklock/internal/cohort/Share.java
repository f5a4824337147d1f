package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * What a local caller holds of a grant, for as long as its turn lasts.
 */
public interface Share {

	/**
	 * Returns the key.
	 * @return the key
	 */
	String key();

	/**
	 * Returns the mode.
	 * @return the mode that is held
	 */
	LockMode mode();

	/**
	 * Returns the caller's fencing token.
	 * @return the grant's czxid in the upper bits, the number of the hand-over in the
	 * lower eight
	 */
	long token();

	/**
	 * Tells whether another local caller had the same grant before.
	 * @return false if the grant was made for this share
	 */
	default boolean isHandedOver() {
		return false;
	}

	/**
	 * Tells whether the share is certainly good at this moment.
	 * @return false after its release and once it was lost; once false it stays false
	 */
	boolean isValid();

	/**
	 * Returns the grant that this is a share of.
	 * @return the grant
	 */
	Grant grant();

	/**
	 * Gives the share back. Further calls return the same stage.
	 * @return completes with null when this turn has nothing of the key left in
	 * ZooKeeper; never exceptionally
	 */
	CompletionStage<Void> release();

	/**
	 * Gives the share up because it is lost although the grant is good: whoever had it
	 * may still work, so the grant is released and not passed on.
	 * @return completes as {@link #release} does
	 */
	CompletionStage<Void> forfeit();

}
