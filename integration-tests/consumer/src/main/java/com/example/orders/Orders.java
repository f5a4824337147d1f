package com.example.orders;

import org.springframework.stereotype.Service;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;

@Service
public class Orders {

	@DistributedLock(key = "order:#{#id}")
	public long ship(String id) {
		return LockContext.current().fencingToken();
	}

}
