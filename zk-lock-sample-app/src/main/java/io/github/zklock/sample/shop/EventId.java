package io.github.zklock.sample.shop;

/**
 * What the id of an event looks like.
 */
final class EventId {

	static final String PATTERN = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

	static final String MESSAGE = "must be 1 to 64 letters, digits, dots, hyphens or underscores, a letter or digit first";

	private EventId() {
	}

}
