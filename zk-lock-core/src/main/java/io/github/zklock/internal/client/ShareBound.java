package io.github.zklock.internal.client;

/**
 * How many keys of a pattern one client holds at a time.
 *
 * @param pattern which keys
 * @param most how many of them, at least one
 */
public record ShareBound(String pattern, int most) {

	/**
	 * Creates a bound.
	 * @throws IllegalArgumentException if it is less than one
	 */
	public ShareBound {
		if (most < 1) {
			throw new IllegalArgumentException(
					"At least one key of '%s' must be allowed to be held, not %d".formatted(pattern, most));
		}
	}

	@Override
	public String toString() {
		return this.most + ((this.most == 1) ? " key" : " keys") + " of '" + this.pattern + "' at a time (max-held)";
	}

}
