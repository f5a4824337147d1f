package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Refuses a duration without a unit in a {@code zk-lock} property, which Spring Boot
 * takes for milliseconds and half of its readers for seconds. The annotation refuses it
 * too.
 */
final class DurationUnits extends PropertyCheck {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private final Environment environment;

	DurationUnits(Environment environment) {
		this.environment = environment;
	}

	@Override
	void check(ConfigurationPropertyName name, String written, Object bound) {
		if (!(bound instanceof Duration duration) || duration.isZero()) {
			return;
		}
		String text = this.environment.resolvePlaceholders(written).trim();
		if (NUMBER.matcher(text).matches()) {
			throw new ZkLockStartupException("%s is %s, which has no unit.".formatted(name, text),
					"Write a duration with its unit, as in %1$s=%2$ss or %1$s=%2$sms.".formatted(name, text));
		}
	}

}
