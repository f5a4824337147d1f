package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Refuses a duration without a unit in a {@code zk-lock} property, which Spring Boot
 * takes for milliseconds and half of its readers for seconds. The annotation refuses it
 * too.
 */
final class DurationUnits implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("zk-lock");

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private final Environment environment;

	DurationUnits(Environment environment) {
		this.environment = environment;
	}

	@Override
	public BindHandler apply(BindHandler bindHandler) {
		return new AbstractBindHandler(bindHandler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				ConfigurationProperty property = context.getConfigurationProperty();
				if (property != null && result instanceof Duration duration && !duration.isZero()
						&& OURS.isAncestorOf(name)) {
					check(name, String.valueOf(property.getValue()));
				}
				return super.onSuccess(name, target, context, result);
			}

		};
	}

	private void check(ConfigurationPropertyName name, String value) {
		String text = this.environment.resolvePlaceholders(value).trim();
		if (NUMBER.matcher(text).matches()) {
			throw new ZkLockStartupException("%s is %s, which has no unit.".formatted(name, text),
					"Write a duration with its unit, as in %1$s=%2$ss or %1$s=%2$sms.".formatted(name, text), null);
		}
	}

}
