package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockMode;

/**
 * A call that was granted a key, and whose caller gets the handle.
 */
record PlayedCall(LockListener.Event event) implements HeldLock.Call {

	static PlayedCall in(LockMode mode) {
		return new PlayedCall(new LockListener.Event(1, List.of("key"), null, mode, "memory", LockListener.Way.GRANTED,
				Duration.ZERO));
	}

	@Override
	public boolean isAbandoned(HeldLock made) {
		return false;
	}

}
