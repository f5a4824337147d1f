package io.github.zklock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import io.github.zklock.LockClient;
import io.github.zklock.zookeeper.CuratorBlueprint;

/**
 * Connects to ZooKeeper, unless there is a connection already. Lazily: sessions of the
 * user's may have one that is no bean, and then nobody asks for this one.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "zk-lock.in-memory", havingValue = false, matchIfMissing = true)
@ConditionalOnMissingBean({ LockClient.class, CuratorFramework.class })
class ConnectionConfiguration {

	private static final int MAX_REPETITIONS = 29;

	@Bean
	@Conditional(OnEmbeddedServerCondition.class)
	@ConditionalOnMissingBean(ZkLockConnectionDetails.class)
	EmbeddedZooKeeperServer zkLockEmbeddedServer(ZkLockProperties properties, ResourceLoader resourceLoader) {
		for (String required : EmbeddedZooKeeperServer.REQUIRED_CLASSES) {
			if (!ClassUtils.isPresent(required, resourceLoader.getClassLoader())) {
				throw new ZkLockStartupException(
						"zk-lock.embedded.enabled is true, but the class %s, which a ZooKeeper server needs, is not on the class path."
							.formatted(required),
						"Add the dependency io.github.zklock:zk-lock-embedded-server (org.apache.curator:curator-test brings the same jars), or set zk-lock.connect-string and remove zk-lock.embedded.enabled.");
			}
		}
		ZkLockProperties.Embedded embedded = properties.getEmbedded();
		return new EmbeddedZooKeeperServer(embedded.getPort(), embedded.getDataDirectory());
	}

	// A dependency, not a provider of one, so that the server is stopped last.
	@Bean
	@Lazy
	@ConditionalOnMissingBean(ZkLockConnectionDetails.class)
	@SuppressWarnings("deprecation") // Spring before 7 knows no other @Nullable
	ConfiguredConnection zkLockConnectionDetails(ZkLockProperties properties,
			@org.springframework.lang.Nullable EmbeddedZooKeeperServer embedded,
			ObjectProvider<SslBundles> sslBundles) {
		SslBundles bundles = sslBundles.getIfAvailable();
		String configured = properties.getConnectString();
		if (StringUtils.hasText(configured)) {
			return new ConfiguredConnection(configured, properties, bundles);
		}
		if (embedded != null) {
			ConfiguredConnection local = new ConfiguredConnection(embedded.connectString(), properties, bundles);
			if (local.sslBundle() != null) {
				throw new ZkLockStartupException(
						"zk-lock.ssl.bundle is set, but the embedded ZooKeeper server has no TLS.",
						"Remove zk-lock.ssl.bundle where the embedded server is used, or set zk-lock.connect-string.");
			}
			return local;
		}
		throw new ZkLockStartupException(
				"Locks need a ZooKeeper server, but zk-lock.connect-string is not set, zk-lock.embedded.enabled is not true, and there is no CuratorFramework bean.",
				"Set zk-lock.connect-string, as in zk-lock.connect-string=localhost:2181. For development and tests, zk-lock.embedded.enabled=true starts a server inside the application. For tests and a single instance, zk-lock.in-memory=true needs no server. To run without any lock, set zk-lock.enabled=false."
						+ StartupConnection.inTests());
	}

	@Bean(destroyMethod = "close")
	@Lazy
	ClientTls zkLockTls(ZkLockConnectionDetails details, ZkLockProperties properties,
			ObjectProvider<SslBundles> bundles) {
		ClientTls tls = new ClientTls(details.sslBundle());
		String name = properties.getSsl().getBundle();
		if (details instanceof ConfiguredConnection && details.sslBundle() != null && name != null) {
			bundles.getObject().addBundleUpdateHandler(name, tls::update);
		}
		return tls;
	}

	@Bean(destroyMethod = "close")
	@Lazy
	CuratorFramework zkLockCurator(CuratorBlueprint blueprint) {
		CuratorFramework curator = blueprint.build();
		curator.start();
		return curator;
	}

	@Bean
	@Lazy
	ConfiguredBlueprint zkLockCuratorBlueprint(ZkLockProperties properties, ZkLockConnectionDetails details,
			ClientTls tls, ObjectProvider<ACLProvider> aclProvider,
			ObjectProvider<ZkLockCuratorCustomizer> customizers) {
		check(details.connectString());
		ZkLockProperties.Retry retry = properties.getRetry();
		// What servers announce may be without TLS, or not be reached from here
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(details.connectString())
			.ensembleTracker(false)
			.sessionTimeoutMs(PropertyChecks.millis("zk-lock.session-timeout", properties.getSessionTimeout()))
			.connectionTimeoutMs(PropertyChecks.millis("zk-lock.connection-timeout", properties.getConnectionTimeout()))
			.retryPolicy(new BoundedExponentialBackoffRetry(
					PropertyChecks.millis("zk-lock.retry.base-sleep", retry.getBaseSleep()),
					PropertyChecks.millis("zk-lock.retry.max-sleep", retry.getMaxSleep()),
					repetitions(retry.getMaxRetries())));
		builder.aclProvider(acl(aclProvider, properties, details));
		List<AuthInfo> auth = ConfiguredConnection.credentials(properties, details)
			.stream()
			.map((one) -> new AuthInfo(one.scheme(), one.secret().getBytes(StandardCharsets.UTF_8)))
			.toList();
		if (!auth.isEmpty()) {
			builder.authorization(auth);
		}
		builder.zkClientConfig(clientConfig(properties, tls));
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		checkNothingIsDropped(builder.getZkClientConfig(), properties, tls);
		builder.zookeeperFactory(new ConfiguredHandles(builder.getZookeeperFactory(), tls));
		return new ConfiguredBlueprint(builder, tls);
	}

	// Rather than send a password in clear text
	private static void checkNothingIsDropped(@Nullable ZKClientConfig set, ZkLockProperties properties,
			ClientTls tls) {
		ZKClientConfig config = (set != null) ? set : new ZKClientConfig();
		if (!tls.isIn(config)) {
			throw dropped("TLS of zk-lock.ssl.bundle, or of the connection details,");
		}
		String loginContext = properties.getSasl().getLoginContext();
		if (StringUtils.hasText(loginContext) && !(config.isSaslClientEnabled() && loginContext.equals(config
			.getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, ZKClientConfig.LOGIN_CONTEXT_NAME_KEY_DEFAULT)))) {
			throw dropped("The login of zk-lock.sasl.login-context");
		}
	}

	private static ZkLockStartupException dropped(String what) {
		return new ZkLockStartupException(
				"%s is not used: a ZkLockCuratorCustomizer has changed or replaced the ZKClientConfig.".formatted(what),
				"Change what else it says, by builder.getZkClientConfig().setProperty(…), instead of setting another by zkClientConfig(…).");
	}

	private static ZKClientConfig clientConfig(ZkLockProperties properties, ClientTls tls) {
		ZKClientConfig config = new ZKClientConfig();
		String loginContext = properties.getSasl().getLoginContext();
		if (StringUtils.hasText(loginContext)) {
			SaslLogin.check(loginContext);
			config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "true");
			config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, loginContext);
		}
		tls.configure(config);
		return config;
	}

	/**
	 * Returns who may touch the locks, as the user's bean has it, or else the properties.
	 * @param aclProvider the user's, if there is one
	 * @param properties the properties
	 * @param details the connection, or null if it is not ours
	 * @return gives the ACLs
	 */
	static ACLProvider acl(ObjectProvider<ACLProvider> aclProvider, ZkLockProperties properties,
			@Nullable ZkLockConnectionDetails details) {
		ACLProvider users = ConfiguredAcl.ofUser(aclProvider, properties);
		if (users != null) {
			return users;
		}
		return new ConfiguredAcl(properties.getAcl(), details != null && isAuthenticated(properties, details));
	}

	/**
	 * Returns whether the servers know this client by our own connection.
	 * @param properties the properties
	 * @param details the connection
	 * @return whether there are credentials or a login
	 */
	static boolean isAuthenticated(ZkLockProperties properties, ZkLockConnectionDetails details) {
		return !ConfiguredConnection.credentials(properties, details).isEmpty()
				|| StringUtils.hasText(properties.getSasl().getLoginContext());
	}

	private static void check(String connectString) {
		try {
			if (!new ConnectStringParser(connectString).getServerAddresses().isEmpty()) {
				return;
			}
		}
		catch (IllegalArgumentException ex) {
			throw badConnectString(connectString, ex);
		}
		throw badConnectString(connectString, null);
	}

	private static ZkLockStartupException badConnectString(String connectString, @Nullable Exception cause) {
		return new ZkLockStartupException(
				"The connect string '%s' of the ZooKeeper servers is malformed.".formatted(connectString),
				"Write host:port pairs with commas between them, optionally followed by a path, as in zk1:2181,zk2:2181/apps.",
				cause);
	}

	// Curator would take a larger number for its own bound, and a negative one for none
	private static int repetitions(int configured) {
		if (configured < 0 || configured > MAX_REPETITIONS) {
			throw new InvalidConfigurationPropertyValueException("zk-lock.retry.max-retries", configured,
					"It must be at least 0 and at most %d.".formatted(MAX_REPETITIONS));
		}
		return configured;
	}

}
