package io.github.zklock.sample.contest;

import java.util.List;

import io.github.zklock.sample.shop.BoxOffice;
import io.github.zklock.sample.shop.Order;
import io.github.zklock.sample.shop.Stock;

/**
 * The counter that all clients of a contest want to be at: sells one ticket at a time,
 * and keeps a tally of its own by reading it before the sale and writing it after.
 */
final class Counter implements AutoCloseable {

	/*-
	 * Nothing here is safe for two threads at a time: that is what the contest is about.
	 * `tally` is volatile so that what is lost is lost by interleaving alone.
	 */

	private final BoxOffice boxOffice;

	private final String eventId;

	private final ContestSpec spec;

	private volatile int tally;

	Counter(BoxOffice boxOffice, String eventId, ContestSpec spec) {
		this.boxOffice = boxOffice;
		this.eventId = eventId;
		this.spec = spec;
		boxOffice.open(eventId, spec.clients());
	}

	int sell(int client) throws InterruptedException {
		int before = this.tally;
		List<Integer> tickets = this.boxOffice.sell(new Order(this.eventId, "client " + client, 1),
				this.spec.thinkTime(), () -> {
				});
		this.tally = before + 1;
		return tickets.get(0);
	}

	int tally() {
		return this.tally;
	}

	Stock stock() {
		return this.boxOffice.find(this.eventId).orElseThrow();
	}

	@Override
	public void close() {
		this.boxOffice.close(this.eventId);
	}

}
