package io.github.zklock.spi;

import java.util.concurrent.CompletionStage;

/**
 * Somebody who stands in the contest for one or several keys.
 *
 * @since 0.1.0
 */
public interface Contender {

	/**
	 * Gives up, in whatever state the contender is: what it has or will have in ZooKeeper
	 * is deleted, grants are released, watches removed. After the first call the listener
	 * hears nothing more, except a call that is under way. Further calls return the same
	 * stage.
	 * @return completes with null when nothing of the contender is left; never
	 * exceptionally
	 */
	CompletionStage<Void> leave();

}
