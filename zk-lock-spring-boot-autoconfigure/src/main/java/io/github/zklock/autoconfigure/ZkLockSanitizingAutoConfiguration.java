package io.github.zklock.autoconfigure;

import java.util.Locale;

import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that hides the passwords of {@code zk-lock.auth} in the actuator's
 * endpoints, also where they are set to show values, and where zk-lock is disabled.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
public final class ZkLockSanitizingAutoConfiguration {

	@Bean
	SanitizingFunction zkLockSanitizingFunction() {
		return SanitizingFunction.sanitizeValue().ifKeyMatches(ZkLockSanitizingAutoConfiguration::isSecret);
	}

	// However the property's name is written: zk-lock.auth[0].password,
	// ZKLOCK_AUTH_0_PASSWORD
	private static boolean isSecret(String key) {
		String plain = key.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
		return plain.startsWith("zklockauth") && plain.endsWith("password");
	}

}
