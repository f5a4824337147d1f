package io.github.zklock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * The connection as the properties have it.
 */
final class ConfiguredConnection implements ZkLockConnectionDetails {

	private static final String DIGEST = "digest";

	private final String connectString;

	private final List<Credentials> credentials;

	private final @Nullable SslBundle sslBundle;

	ConfiguredConnection(String connectString, ZkLockProperties properties, @Nullable SslBundles bundles) {
		this.connectString = connectString;
		this.credentials = credentials(properties);
		this.sslBundle = sslBundle(properties.getSsl().getBundle(), bundles);
	}

	/**
	 * Returns what is shown to the servers. Details that have no credentials, as those of
	 * a container, leave it to the properties: otherwise the locks would be open to all
	 * without a word.
	 * @param properties the properties
	 * @param details where the servers are
	 * @return the credentials, empty for none
	 */
	static List<Credentials> credentials(ZkLockProperties properties, ZkLockConnectionDetails details) {
		return details.credentials().isEmpty() ? credentials(properties) : details.credentials();
	}

	private static List<Credentials> credentials(ZkLockProperties properties) {
		return properties.getAuth().stream().map(ConfiguredConnection::credentials).toList();
	}

	private static Credentials credentials(ZkLockProperties.Auth auth) {
		String username = auth.getUsername();
		String password = auth.getPassword();
		if (!StringUtils.hasText(password)) {
			throw new ZkLockStartupException("An entry of zk-lock.auth has no password.",
					"Set zk-lock.auth[0].password, or remove the entry.");
		}
		if (auth.getScheme().equals("sasl") || auth.getScheme().equals("x509")) {
			throw new ZkLockStartupException(
					"zk-lock.auth has the scheme '%s', which is no matter of a password.".formatted(auth.getScheme()),
					"For SASL set zk-lock.sasl.login-context. For X.509 set zk-lock.ssl.bundle to a bundle with a key.");
		}
		if (!StringUtils.hasText(username)) {
			if (auth.getScheme().equals(DIGEST)) {
				throw new ZkLockStartupException("An entry of zk-lock.auth has the scheme 'digest', but no username.",
						"Set zk-lock.auth[0].username.");
			}
			return new Credentials(auth.getScheme(), password);
		}
		if (username.indexOf(':') >= 0) {
			throw new ZkLockStartupException(
					"The username '%s…' of zk-lock.auth has a colon, which ZooKeeper takes for its end."
						.formatted(username.substring(0, username.indexOf(':'))),
					"Choose a username without a colon.");
		}
		return new Credentials(auth.getScheme(), username + ":" + password);
	}

	private static @Nullable SslBundle sslBundle(@Nullable String name, @Nullable SslBundles bundles) {
		if (!StringUtils.hasText(name)) {
			return null;
		}
		try {
			if (bundles != null) {
				return bundles.getBundle(name);
			}
		}
		catch (NoSuchSslBundleException ex) {
			throw new ZkLockStartupException(
					"zk-lock.ssl.bundle is '%s', but there is no SSL bundle of that name.".formatted(name),
					"Define it by the properties spring.ssl.bundle.jks.%1$s or spring.ssl.bundle.pem.%1$s. Known are %2$s."
						.formatted(name, bundles.getBundleNames()));
		}
		throw new ZkLockStartupException("zk-lock.ssl.bundle is '%s', but there are no SSL bundles.".formatted(name),
				"Do not exclude Spring Boot's SslAutoConfiguration, or define an SslBundles bean.");
	}

	@Override
	public String connectString() {
		return this.connectString;
	}

	@Override
	public List<Credentials> credentials() {
		return this.credentials;
	}

	@Override
	public @Nullable SslBundle sslBundle() {
		return this.sslBundle;
	}

}
