package io.github.zklock.boot3;

import org.springframework.stereotype.Service;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;

/**
 * Books seats.
 */
@Service
public class Reservations {

	/**
	 * Books a seat.
	 * @param seat the seat
	 * @return the fencing token of the lock that it was booked under
	 */
	@DistributedLock(key = "seat-#{#seat}", timeout = "3s")
	public long book(int seat) {
		return LockContext.current().fencingToken();
	}

}
