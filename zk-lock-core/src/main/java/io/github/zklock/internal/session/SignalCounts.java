package io.github.zklock.internal.session;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happens in all sessions of a client, one after the other.
 *
 * @param watchEvents events that its watches had
 * @param leftovers ghosts that were removed
 */
public record SignalCounts(LongAdder watchEvents, LongAdder leftovers) {

	public SignalCounts() {
		this(new LongAdder(), new LongAdder());
	}

}
