package io.github.zklock.autoconfigure;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockListener;
import io.github.zklock.aop.LockedBeanValidator;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.zookeeper.FencedWriter;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.NaiveLockStrategy;
import io.github.zklock.zookeeper.SequentialLockStrategy;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Makes the lock client and its strategies, each unless the user has.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "zk-lock.in-memory", havingValue = false, matchIfMissing = true)
@ConditionalOnMissingBean(LockClient.class)
class ClientConfiguration {

	private static final Logger log = LoggerFactory.getLogger(ClientConfiguration.class);

	@Bean
	@ConditionalOnMissingBean(LockSessions.class)
	ZkLockStartupCheck zkLockStartupCheck(ConfigurableListableBeanFactory beans, ZkLockProperties properties,
			ObjectProvider<ACLProvider> aclProvider, ObjectProvider<ClientTls> ownTls,
			ObjectProvider<ZkLockConnectionDetails> details, ObjectProvider<ConfiguredBlueprint> blueprint) {
		CuratorFramework curator = ConfiguredCurator.of(beans, properties, "zkLockStartupCheck");
		checkStarted(curator);
		ClientTls tls = ownTls.getIfAvailable();
		if (tls == null) {
			checkNothingIsIgnored(properties, "the CuratorFramework bean that there is");
		}
		ACLProvider acls = ConnectionConfiguration.acl(aclProvider, properties,
				(tls != null) ? details.getIfAvailable() : null);
		ConfiguredBlueprint ours = blueprint.getIfAvailable();
		ZkLockStartupCheck check = new ZkLockStartupCheck(curator, properties.getRoot(), properties.isNestedKeys(),
				acls, (ours != null) ? ours.sessionTimeout() : null);
		if (properties.isFailFast()) {
			PropertyChecks.millis("zk-lock.connection-timeout", properties.getConnectionTimeout());
			StartupConnection.await(curator, properties.getConnectionTimeout(), tls != null && tls.isUsed());
			check.pass();
		}
		else {
			check.passWhenConnected();
		}
		return check;
	}

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	LockSessions zkLockSessions(ZkLockStartupCheck check, ZkLockProperties properties, Environment environment,
			ObjectProvider<ConfiguredBlueprint> blueprint) {
		LockSessions.Builder builder = LockSessions.builder(check.curator()).root(properties.getRoot());
		ClientNames.apply(properties, environment, builder::application, builder::instance);
		builder.nestedKeys(properties.isNestedKeys());
		setKeyPrefix(builder, Objects.requireNonNullElse(properties.getKeyPrefix(), ""));
		builder.aclProvider(check.acls()).problem(check::problem);
		blueprint.ifAvailable((ours) -> builder.askedSessionTimeout(ours.sessionTimeout()));
		try {
			return builder.build();
		}
		catch (IllegalArgumentException ex) {
			throw invalid("zk-lock.root", properties.getRoot(), ex);
		}
	}

	private static void setKeyPrefix(LockSessions.Builder builder, String keyPrefix) {
		try {
			builder.keyPrefix(keyPrefix);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("zk-lock.key-prefix", keyPrefix, ex);
		}
	}

	private static InvalidConfigurationPropertyValueException invalid(String property, String value,
			IllegalArgumentException cause) {
		InvalidConfigurationPropertyValueException invalid = new InvalidConfigurationPropertyValueException(property,
				value, cause.getMessage());
		invalid.addSuppressed(cause);
		return invalid;
	}

	private static void checkNothingIsIgnored(ZkLockProperties properties, String connection) {
		boolean secured = !properties.getAuth().isEmpty() || StringUtils.hasText(properties.getSasl().getLoginContext())
				|| StringUtils.hasText(properties.getSsl().getBundle());
		if (secured) {
			throw new ZkLockStartupException(
					"zk-lock.auth, zk-lock.sasl or zk-lock.ssl is set, but cannot be given to " + connection + ".",
					"Secure that client where it is made, by properties of your own, and say zk-lock.acl=creator here, or remove the bean so that one is made from the zk-lock properties.");
		}
	}

	private static void checkStarted(CuratorFramework curator) {
		if (curator.getState() != CuratorFrameworkState.STARTED) {
			throw new ZkLockStartupException(
					"The CuratorFramework bean is in state %s, but locks need a started client."
						.formatted(curator.getState()),
					"Start the client where the bean is made, for example by @Bean(initMethod = \"start\", destroyMethod = \"close\").");
		}
	}

	@Bean
	@ConditionalOnMissingBean(name = "sequentialLockStrategy")
	SequentialLockStrategy sequentialLockStrategy(LockSessions sessions) {
		return new SequentialLockStrategy(sessions);
	}

	@Bean
	@ConditionalOnMissingBean(name = "naiveLockStrategy")
	NaiveLockStrategy naiveLockStrategy(LockSessions sessions) {
		return new NaiveLockStrategy(sessions);
	}

	// What is wrong with the properties is said at start
	@Bean(destroyMethod = "close")
	@Lazy(false)
	ZooKeeperLockClient lockClient(LockSessions sessions, Map<String, LockStrategy> strategies,
			ZkLockProperties properties, ObjectProvider<LockListener> listeners, ObjectProvider<ClientTls> ownTls,
			ConfigurableListableBeanFactory beans) {
		PropertyChecks.checkBounds(properties);
		// Sessions of the user's have no check at start
		boolean ours = ZkLockAutoConfiguration.isConnectionABean(sessions, beans) && ownTls.getIfAvailable() != null;
		if (!ours) {
			checkNothingIsIgnored(properties, "the connection of the LockSessions bean that there is");
			sayWhichServersAreNotUsed(properties.getConnectString(), "zk-lock.connect-string", sessions);
			sayWhichDetailsAreNotUsed(beans, sessions);
		}
		if (beans.getBeanProvider(ZkLockStartupCheck.class).getIfAvailable() == null) {
			SessionSettings.check(sessions, properties,
					ours ? beans.getBeanProvider(ZkLockConnectionDetails.class).getIfAvailable() : null);
		}
		ZkLockProperties.Handoff handoff = properties.getHandoff();
		Map<String, LockStrategy> named = byName(strategies);
		sayWhatIsReplaced("naive", NaiveLockStrategy.class, named);
		sayWhatIsReplaced("sequential", SequentialLockStrategy.class, named);
		if (!named.containsKey(properties.getStrategy())) {
			throw PropertyChecks.unknownStrategy("zk-lock.strategy", properties.getStrategy(), named.keySet());
		}
		ZooKeeperLockClient.Builder builder = ZooKeeperLockClient.builder(sessions)
			.strategy(properties.getStrategy())
			.timeout(properties.getTimeout())
			.slowWait(properties.getSlowWait())
			.slowWaitInterval(properties.getSlowWaitInterval())
			.maxCallbackThreads(properties.getMaxCallbackThreads())
			.maxWaitingEvents(properties.getMaxWaitingEvents())
			.maxKeysPerRequest(properties.getMaxKeysPerRequest())
			.maxRetained(properties.getMaxRetained())
			.handoff(new Handoff(handoff.getMaxCount(), handoff.getMinDuration(), handoff.getMaxDuration(),
					properties.getRetain()));
		named.forEach(builder::strategy);
		ConfiguredKeyRules.read(properties.getKeys(), named.keySet()).forEach(builder::rule);
		listeners.orderedStream().forEach(builder::listener);
		try {
			return builder.build();
		}
		catch (IllegalArgumentException ex) {
			throw ConfiguredKeyRules.contradiction(ex);
		}
	}

	@Bean
	@Lazy(false)
	@ConditionalOnBean(ZkLockStartupCheck.class)
	ConnectionLog zkLockConnectionLog(ZkLockStartupCheck check, ZkLockProperties properties,
			ObjectProvider<LockedBeanValidator> methods, ObjectProvider<ClientTls> ownTls) {
		ClientTls tls = ownTls.getIfAvailable();
		return new ConnectionLog(check.curator(), properties.getRoot(), methods.getIfAvailable(),
				tls != null && tls.isUsed());
	}

	@Bean(destroyMethod = "close")
	@Lazy(false)
	@ConditionalOnBooleanProperty(name = "zk-lock.warm-up", matchIfMissing = true)
	WarmUp zkLockWarmUp(ObjectProvider<ZkLockStartupCheck> check, LockSessions sessions) {
		ZkLockStartupCheck known = check.getIfAvailable();
		return new WarmUp((known != null) ? known.curator() : null, sessions);
	}

	// Not before it is needed: a test may have a client of another class
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	FencedWriter zkLockGuard(ZooKeeperLockClient client) {
		return new FencedWriter(client);
	}

	// Those that we make have no other servers than the properties. One that cannot say
	// its own stops no start, because nothing connects by it
	private static void sayWhichDetailsAreNotUsed(ConfigurableListableBeanFactory beans, LockSessions sessions) {
		for (String name : beans.getBeanNamesForType(ZkLockConnectionDetails.class, false, false)) {
			try {
				if (!beans.isTypeMatch(name, ConfiguredConnection.class)) {
					sayWhichServersAreNotUsed(beans.getBean(name, ZkLockConnectionDetails.class).connectString(),
							"the bean " + name, sessions);
				}
			}
			catch (RuntimeException ex) {
				log.debug("The bean {} does not say where it connects to", name, ex);
			}
		}
	}

	private static void sayWhichServersAreNotUsed(@Nullable String configured, String by, LockSessions sessions) {
		if (StringUtils.hasText(configured) && !areTheSame(configured, sessions.servers())) {
			log.warn(
					"Locks are at {}, where a bean of the application connects to, and not at {}, as {} says. If these are not the same servers, they do not exclude those of instances without that connection. Remove what says so, or let the bean connect there. A client that tracks the ensemble names its servers as they announce themselves; one with ensembleTracker(false) keeps to its connect string",
					sessions.servers(), configured, by);
		}
	}

	private static boolean areTheSame(String configured, String used) {
		String trimmed = StringUtils.trimAllWhitespace(configured);
		try {
			ConnectStringParser one = new ConnectStringParser(trimmed);
			ConnectStringParser other = new ConnectStringParser(used);
			return Objects.equals(one.getChrootPath(), other.getChrootPath())
					&& Set.copyOf(one.getServerAddresses()).equals(Set.copyOf(other.getServerAddresses()));
		}
		catch (IllegalArgumentException ex) {
			return trimmed.equals(used);
		}
	}

	private static void sayWhatIsReplaced(String name, Class<? extends LockStrategy> builtIn,
			Map<String, LockStrategy> strategies) {
		LockStrategy strategy = strategies.get(name);
		if (strategy != null && !builtIn.isInstance(strategy)) {
			log.info("Locks of the strategy '{}' are those of a bean of {}, instead of the built-in one", name,
					strategy.getClass());
		}
	}

	private static Map<String, LockStrategy> byName(Map<String, LockStrategy> beans) {
		Map<String, LockStrategy> named = new TreeMap<>(beans);
		beans.forEach((bean, strategy) -> named.putIfAbsent(ClientNames.strategy(bean), strategy));
		return named;
	}

}
