package io.github.zklock.internal.session;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happens in all sessions of a client, one after the other.
 *
 * @param watchEvents events that its watches had
 * @param orphans nodes that were found after the answer to their create was lost, when
 * nobody wanted them any more
 */
public record SessionCounters(LongAdder watchEvents, LongAdder orphans) {

	public SessionCounters() {
		this(new LongAdder(), new LongAdder());
	}

}
