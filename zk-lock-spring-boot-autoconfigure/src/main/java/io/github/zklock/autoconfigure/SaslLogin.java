package io.github.zklock.autoconfigure;

import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;

import org.jspecify.annotations.Nullable;

/**
 * Looks at start-up whether the client can log in by SASL. ZooKeeper's client itself
 * would only log that it cannot, and go on without.
 */
final class SaslLogin {

	private SaslLogin() {
	}

	/**
	 * Looks for a section of the JAAS configuration.
	 * @param section its name
	 * @throws ZkLockStartupException if there is none
	 */
	static void check(String section) {
		try {
			AppConfigurationEntry @Nullable [] entries = Configuration.getConfiguration()
				.getAppConfigurationEntry(section);
			if (entries == null || entries.length == 0) {
				throw missing(section, null);
			}
		}
		catch (SecurityException ex) {
			throw missing(section, ex);
		}
	}

	private static ZkLockStartupException missing(String section, @Nullable Exception cause) {
		return new ZkLockStartupException(
				"zk-lock.sasl.login-context is '%s', but the JAAS configuration has no section of that name."
					.formatted(section),
				"Name the file that has the section in the system property java.security.auth.login.config.", cause);
	}

}
