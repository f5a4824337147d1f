package io.github.zklock.spi;

import java.util.concurrent.CompletionStage;

/**
 * Contends for one or several keys.
 *
 * @since 0.1.0
 */
public interface Contender {

	/**
	 * Gives up, in whatever state the contender is: what it has or will have in ZooKeeper
	 * is deleted, grants are released, watches removed. After the first call the listener
	 * is not called any more, except for a call that is under way. Further calls return
	 * the same stage.
	 * @return completes with null when nothing of the contender is left; never
	 * exceptionally
	 */
	CompletionStage<Void> leave();

}
