package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happens in all sessions of a client, one after the other.
 *
 * @param watchEvents events that its watches had
 * @param leftovers ghosts that were removed
 */
record SignalCounts(LongAdder watchEvents, LongAdder leftovers) {

	SignalCounts() {
		this(new LongAdder(), new LongAdder());
	}

}
