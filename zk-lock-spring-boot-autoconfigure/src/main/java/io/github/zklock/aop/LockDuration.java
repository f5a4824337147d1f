package io.github.zklock.aop;

import java.time.Duration;
import java.util.regex.Pattern;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads durations as people write them: {@code 500ms}, {@code 2s}, {@code PT2S},
 * {@code 1m30s}, {@code 0}. A number without a unit is refused, because half of its
 * readers take it for seconds.
 */
final class LockDuration {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private LockDuration() {
	}

	/**
	 * Reads a duration.
	 * @param text the text, without placeholders
	 * @return the duration, which may be zero or negative
	 * @throws IllegalArgumentException if it is none; the message completes "the value"
	 */
	static Duration parse(String text) {
		String trimmed = text.trim();
		if (trimmed.equals("0")) {
			return Duration.ZERO;
		}
		if (NUMBER.matcher(trimmed).matches()) {
			throw new IllegalArgumentException("has no unit");
		}
		try {
			return DurationFormatterUtils.detectAndParse(trimmed);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("is not a duration", ex);
		}
	}

}
