package io.github.zklock.sample.docs;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;

/**
 * What the README's test tests.
 */
class Orders {

	// tag::method[]
	@DistributedLock(key = "order-#{#id}", timeout = "3s")
	public long ship(int id) {
		return LockContext.current().fencingToken();
	}
	// end::method[]

}
