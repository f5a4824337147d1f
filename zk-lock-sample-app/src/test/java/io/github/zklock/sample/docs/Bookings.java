package io.github.zklock.sample.docs;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.DistributedLock;
import io.github.zklock.OnBusy;

/**
 * What the example of docs/testing.md tests.
 */
class Bookings {

	private final Archive archive;

	Bookings(Archive archive) {
		this.archive = archive;
	}

	@DistributedLock(key = "seat-#{#seat}", timeout = "2s", onBusy = OnBusy.SKIP)
	public Boolean book(int seat) {
		this.archive.store(seat);
		return true;
	}

	/**
	 * Keeps what was booked.
	 */
	static class Archive {

		private final List<Integer> seats = new ArrayList<>();

		void store(int seat) {
			this.seats.add(seat);
		}

		List<Integer> seats() {
			return this.seats;
		}

	}

}
