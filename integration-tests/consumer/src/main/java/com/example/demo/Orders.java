// tag::all[]
package com.example.demo;

import org.springframework.stereotype.Service;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;

@Service
public class Orders {

	@DistributedLock(key = "order-#{#id}", timeout = "3s")
	public long ship(int id) {
		// No other instance ships this order now.
		return LockContext.current().fencingToken();
	}

}
// end::all[]
