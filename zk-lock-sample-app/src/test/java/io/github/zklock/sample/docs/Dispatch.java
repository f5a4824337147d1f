package io.github.zklock.sample.docs;

import java.util.function.IntConsumer;

import io.github.zklock.DistributedLock;

/**
 * What the README begins with.
 */
class Dispatch {

	private final IntConsumer carrier;

	Dispatch(IntConsumer carrier) {
		this.carrier = carrier;
	}

	// tag::ship[]
	@DistributedLock(key = "order-#{#id}")
	public void ship(int id) {
		// Never twice for one order at the same time, on all instances together
		this.carrier.accept(id);
	}
	// end::ship[]

}
