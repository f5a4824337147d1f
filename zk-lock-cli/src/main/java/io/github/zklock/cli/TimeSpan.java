package io.github.zklock.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads durations as the properties have them: {@code 500ms}, {@code 15s}, {@code 10m} or
 * {@code PT15S}. A number without a unit is refused.
 */
final class TimeSpan implements ITypeConverter<Duration> {

	private static final Pattern SIMPLE = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

	private static final Duration LONGEST = Duration.ofDays(36_500);

	@Override
	public Duration convert(String value) {
		return parse(value);
	}

	/**
	 * Reads a duration.
	 * @param value the text
	 * @return the duration, not negative
	 * @throws TypeConversionException if it is none
	 */
	static Duration parse(String value) {
		Duration duration = read(value);
		if (duration.compareTo(LONGEST) > 0) {
			throw new TypeConversionException("'%s' is longer than a hundred years".formatted(value));
		}
		return duration;
	}

	private static Duration read(String value) {
		Matcher simple = SIMPLE.matcher(value);
		if (simple.matches()) {
			long number = Long.parseLong(simple.group(1));
			return switch (simple.group(2)) {
				case "ms" -> Duration.ofMillis(number);
				case "s" -> Duration.ofSeconds(number);
				case "m" -> Duration.ofMinutes(number);
				case "h" -> Duration.ofHours(number);
				default -> Duration.ofDays(number);
			};
		}
		try {
			Duration duration = Duration.parse(value);
			if (!duration.isNegative()) {
				return duration;
			}
		}
		catch (DateTimeParseException ex) {
			// Said below
		}
		throw new TypeConversionException(
				"'%s' is no duration; write a number with a unit, as in 500ms, 15s, 10m or 1h".formatted(value));
	}

}
