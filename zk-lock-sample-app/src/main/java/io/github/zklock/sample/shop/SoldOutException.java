package io.github.zklock.sample.shop;

/**
 * There are fewer tickets left than were asked for.
 */
public class SoldOutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SoldOutException(String eventId, int wanted, int remaining) {
		super("%d tickets were ordered, but event '%s' has only %d left".formatted(wanted, eventId, remaining));
	}

}
