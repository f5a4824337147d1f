package io.github.zklock.internal.client;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

/**
 * Where the locks of a client are.
 *
 * @param contention sees who waits there for what is held
 * @param timer starts what is to happen later
 * @param clock the monotonic clock
 * @param reachable whether a server has answered lately, so that what was seen before may
 * be taken to be still so
 * @param servers says which servers are asked, for people
 */
public record ClientSite(ContentionSource contention, Timer timer, LongSupplier clock, BooleanSupplier reachable,
		Supplier<String> servers) {

	StepFailures failures() {
		return this.timer.failures();
	}

}
