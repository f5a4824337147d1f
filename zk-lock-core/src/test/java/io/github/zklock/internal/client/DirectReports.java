package io.github.zklock.internal.client;

import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.zookeeper.Engines;

/**
 * Notifies listeners on the thread that brings an event, and leaves none out.
 */
final class DirectReports {

	private DirectReports() {
	}

	static ListenerDispatcher to(LockListener... listeners) {
		return to(new StepFailures(), listeners);
	}

	static ListenerDispatcher to(StepFailures failures, LockListener... listeners) {
		return new ListenerDispatcher(List.of(listeners), Runnable::run, () -> 0, failures, Integer.MAX_VALUE);
	}

	static OpenAcquisitions open(StepFailures failures, LockListener... listeners) {
		return new OpenAcquisitions(to(failures, listeners), new NobodyWaits(), Engines.TIMER, () -> "servers");
	}

}
