package io.github.zklock.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A contender that is in the way of another one.
 *
 * @param key the key
 * @param who a description such as {@code billing-2 (host b2, pid 311, thread main)}
 * @param holds true if it holds the key, false if it is only queued before us
 * @param age since when it has been there, at the time it was seen; null if not known
 * @since 0.1.0
 */
public record Blocker(String key, String who, boolean holds, @Nullable Duration age) {

	/**
	 * Returns the same blocker some time later.
	 * @param elapsed how much later
	 * @return with an age that is larger by so much, if it is known
	 */
	public Blocker after(Duration elapsed) {
		return (this.age != null) ? new Blocker(this.key, this.who, this.holds, this.age.plus(elapsed)) : this;
	}

	@Override
	public String toString() {
		String text = (this.holds ? "held by " : "queued behind ") + this.who;
		return (this.age != null) ? text + " for " + format(this.age) : text;
	}

	private static String format(Duration age) {
		return (age.toSeconds() >= 1) ? age.toSeconds() + "s" : age.toMillis() + "ms";
	}

}
