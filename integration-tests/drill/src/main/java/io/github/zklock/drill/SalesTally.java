package io.github.zklock.drill;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What all clients were answered.
 */
final class SalesTally {

	private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);

	private final Set<Integer> tickets = new HashSet<>();

	private int ticketsTwice;

	private @Nullable Long lastSale;

	private long longestPause;

	synchronized void add(Outcome outcome) {
		this.outcomes.merge(outcome, 1, Integer::sum);
	}

	synchronized void sold(List<Integer> numbers) {
		add(Outcome.SOLD);
		for (int number : numbers) {
			if (!this.tickets.add(number)) {
				this.ticketsTwice++;
			}
		}
		long now = System.nanoTime();
		if (this.lastSale != null) {
			this.longestPause = Math.max(this.longestPause, now - this.lastSale);
		}
		this.lastSale = now;
	}

	synchronized int count(Outcome outcome) {
		return this.outcomes.getOrDefault(outcome, 0);
	}

	/**
	 * Counts tickets that are on more than one receipt.
	 * @return how many there are
	 */
	synchronized int ticketsTwice() {
		return this.ticketsTwice;
	}

	/**
	 * Returns the longest time between two sales.
	 * @return how long it was
	 */
	synchronized Duration longestPause() {
		return Duration.ofNanos(this.longestPause);
	}

}
