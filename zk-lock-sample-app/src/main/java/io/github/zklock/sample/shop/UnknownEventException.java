package io.github.zklock.sample.shop;

/**
 * There is no such event.
 */
public class UnknownEventException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	UnknownEventException(String eventId) {
		super("There is no event '%s'; PUT /events/%s/stock opens one".formatted(eventId, eventId));
	}

}
