package io.github.zklock.drill;

import java.util.Iterator;
import java.util.List;

/**
 * What is to be done.
 *
 * @param tickets how many there are to sell
 * @param clients how many buy
 * @param killLeader whether the leader dies after a third of the sales
 * @param postgreSql whether PostgreSQL is the database instead of H2
 * @param capacity whether locks are counted instead of tickets sold
 */
record Plan(int tickets, int clients, boolean killLeader, boolean postgreSql, boolean capacity) {

	static final String USAGE = """
			Starts three ZooKeeper servers and three instances of the shop that share a database,
			sells tickets at all three to several clients at once, and says what happened.

			  --kill-leader   kill the leader (kill -9) after a third of the sales
			  --tickets N     how many tickets there are, 1 to 10000; 300 unless given
			  --clients N     how many clients buy, 1 to 50; 6 unless given
			  --postgres      share a PostgreSQL database instead of H2 (needs Debian's postgresql)
			  --capacity      sell nothing, but measure how many locks the three servers carry
			  --help          this text
			""";

	private static final int MAX_TICKETS = 10_000;

	private static final int MAX_CLIENTS = 50;

	static Plan parse(String... arguments) {
		int tickets = 300;
		int clients = 6;
		boolean killLeader = false;
		boolean postgreSql = false;
		boolean capacity = false;
		Iterator<String> rest = List.of(arguments).iterator();
		while (rest.hasNext()) {
			String option = rest.next();
			switch (option) {
				case "--kill-leader" -> {
					killLeader = true;
				}
				case "--postgres" -> {
					postgreSql = true;
				}
				case "--capacity" -> {
					capacity = true;
				}
				case "--tickets" -> {
					tickets = number(option, rest, MAX_TICKETS);
				}
				case "--clients" -> {
					clients = number(option, rest, MAX_CLIENTS);
				}
				default -> throw new IllegalArgumentException("There is no option " + option);
			}
		}
		return new Plan(tickets, clients, killLeader, postgreSql, capacity);
	}

	private static int number(String option, Iterator<String> rest, int max) {
		String text = rest.hasNext() ? rest.next() : "";
		if (!text.matches("[1-9][0-9]{0,4}") || Integer.parseInt(text) > max) {
			throw new IllegalArgumentException("%s needs a number from 1 to %d".formatted(option, max));
		}
		return Integer.parseInt(text);
	}

}
