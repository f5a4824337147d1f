package io.github.zklock.sample.docs;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;

/**
 * What is locked, secured and observed.
 */
class Shipments {

	@DistributedLock(key = "order-#{#id}", timeout = "3s")
	public long ship(int id) {
		return LockContext.current().fencingToken();
	}

}
