package io.github.zklock.autoconfigure;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import io.github.zklock.LockClient;

/**
 * Connects to ZooKeeper, unless somebody else has.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean({ LockClient.class, CuratorFramework.class })
class ConnectionConfiguration {

	@Bean
	@Conditional(OnEmbeddedServerCondition.class)
	@ConditionalOnMissingBean(ZkLockConnectionDetails.class)
	EmbeddedZooKeeperServer zkLockEmbeddedServer(ZkLockProperties properties, ResourceLoader resourceLoader) {
		for (String required : EmbeddedZooKeeperServer.REQUIRED_CLASSES) {
			if (!ClassUtils.isPresent(required, resourceLoader.getClassLoader())) {
				throw new ZkLockStartupException(
						"zk-lock.embedded.enabled is true, but the class %s, which a ZooKeeper server needs, is not on the class path."
							.formatted(required),
						"Add the dependencies io.dropwizard.metrics:metrics-core and org.xerial.snappy:snappy-java (org.apache.curator:curator-test brings both), or set zk-lock.connect-string and remove zk-lock.embedded.enabled.",
						null);
			}
		}
		ZkLockProperties.Embedded embedded = properties.getEmbedded();
		return new EmbeddedZooKeeperServer(embedded.getPort(), embedded.getDataDirectory());
	}

	@Bean
	@ConditionalOnMissingBean
	ZkLockConnectionDetails zkLockConnectionDetails(ZkLockProperties properties,
			@Nullable EmbeddedZooKeeperServer embedded) {
		String configured = properties.getConnectString();
		if (StringUtils.hasText(configured)) {
			return () -> configured;
		}
		if (embedded != null) {
			return embedded::connectString;
		}
		throw new ZkLockStartupException(
				"Locks need a ZooKeeper server, but zk-lock.connect-string is not set, zk-lock.embedded.enabled is not true, and there is no CuratorFramework bean.",
				"Set zk-lock.connect-string, as in zk-lock.connect-string=localhost:2181. For development and tests, zk-lock.embedded.enabled=true starts a server inside the application. To run without any lock, set zk-lock.enabled=false.",
				null);
	}

	@Bean(destroyMethod = "close")
	CuratorFramework zkLockCurator(ZkLockProperties properties, ZkLockConnectionDetails details,
			ObjectProvider<ACLProvider> aclProvider, ObjectProvider<ZkLockCuratorCustomizer> customizers) {
		check(details.connectString());
		ZkLockProperties.Retry retry = properties.getRetry();
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(details.connectString())
			.sessionTimeoutMs(millis("zk-lock.session-timeout", properties.getSessionTimeout()))
			.connectionTimeoutMs(millis("zk-lock.connection-timeout", properties.getConnectionTimeout()))
			.retryPolicy(new BoundedExponentialBackoffRetry(millis("zk-lock.retry.base-sleep", retry.getBaseSleep()),
					millis("zk-lock.retry.max-sleep", retry.getMaxSleep()), retry.getMaxRetries()));
		aclProvider.ifUnique(builder::aclProvider);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		CuratorFramework curator = builder.build();
		curator.start();
		return curator;
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

	static int millis(String property, Duration duration) {
		if (duration.isNegative() || duration.isZero()
				|| duration.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
			throw new InvalidConfigurationPropertyValueException(property, duration,
					"It must be positive and at most 24 days.");
		}
		return (int) Math.max(1, duration.toMillis());
	}

}
