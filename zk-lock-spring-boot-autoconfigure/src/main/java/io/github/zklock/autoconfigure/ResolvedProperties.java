package io.github.zklock.autoconfigure;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Refuses a placeholder that nothing resolves in a {@code zk-lock} property. Spring Boot
 * takes it as it is written: an instance would lock below a root of that name, without
 * those that know the value, and a password would be one that everybody can read. The
 * annotation refuses it too.
 */
final class ResolvedProperties extends PropertyCheck {

	/**
	 * Not used in memory, nor by a test with a server of its own, and no server's name.
	 */
	private static final ConfigurationPropertyName SERVERS = ConfigurationPropertyName.of("zk-lock.connect-string");

	private final Environment environment;

	ResolvedProperties(Environment environment) {
		this.environment = environment;
	}

	@Override
	void check(ConfigurationPropertyName name, String written, Object bound) {
		if (name.equals(SERVERS)) {
			return;
		}
		try {
			this.environment.resolveRequiredPlaceholders(written);
		}
		catch (PlaceholderResolutionException ex) {
			throw new ZkLockStartupException(
					"%s has the placeholder '%s', which nothing resolves.".formatted(name, ex.getPlaceholder()),
					"Set the property or environment variable '%1$s', or give it a default, as in ${%1$s:...}."
						.formatted(ex.getPlaceholder()));
		}
	}

}
