package io.github.zklock.sample.shop;

import java.util.List;

/**
 * What a buyer gets.
 *
 * @param eventId for which event
 * @param buyer who bought
 * @param tickets the numbers of the tickets
 * @param fencingToken the token of the lock under which they were sold
 */
public record Receipt(String eventId, String buyer, List<Integer> tickets, long fencingToken) {

	public Receipt {
		tickets = List.copyOf(tickets);
	}

}
