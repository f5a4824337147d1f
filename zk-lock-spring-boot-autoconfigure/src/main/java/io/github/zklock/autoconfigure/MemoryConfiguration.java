package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import io.github.zklock.LockClient;
import io.github.zklock.LockListener;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.memory.MemoryLockClient;
import io.github.zklock.spi.LockStrategy;

/**
 * Makes a lock client that needs no server, unless the user has one of any kind. What
 * only concerns servers and their nodes is ignored.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("zk-lock.in-memory")
@ConditionalOnMissingBean(LockClient.class)
class MemoryConfiguration {

	@Bean(destroyMethod = "close")
	@Lazy(false)
	MemoryLockClient lockClient(ZkLockProperties properties, Environment environment, ListableBeanFactory beanFactory,
			ObjectProvider<LockListener> listeners) {
		checkItIsWanted(environment);
		PropertyChecks.checkBounds(properties);
		// With and without the suffix, as the beans that there are on servers
		Set<String> strategies = new TreeSet<>(
				List.of("naive", "naiveLockStrategy", "sequential", "sequentialLockStrategy"));
		// Not the beans themselves, which may need a server
		for (String bean : beanFactory.getBeanNamesForType(LockStrategy.class, true, false)) {
			strategies.add(bean);
			strategies.add(ClientNames.strategy(bean));
		}
		if (!strategies.contains(properties.getStrategy())) {
			throw PropertyChecks.unknownStrategy("zk-lock.strategy", properties.getStrategy(), strategies);
		}
		MemoryLockClient.Builder builder = MemoryLockClient.builder()
			.root(root(properties))
			.strategies(strategies)
			.strategy(properties.getStrategy())
			.timeout(properties.getTimeout())
			.slowWait(properties.getSlowWait())
			.slowWaitInterval(properties.getSlowWaitInterval())
			.maxCallbackThreads(properties.getMaxCallbackThreads())
			.maxWaitingEvents(properties.getMaxWaitingEvents())
			.maxKeysPerRequest(properties.getMaxKeysPerRequest());
		ClientNames.apply(properties, environment, builder::application, builder::instance);
		ConfiguredKeyRules.read(properties.getKeys(), strategies).forEach((rule) -> {
			if (rule.timeout() != null) {
				builder.timeout(rule.pattern(), rule.timeout());
			}
			if (rule.maxHeld() != null) {
				builder.maxHeld(rule.pattern(), rule.maxHeld());
			}
		});
		listeners.orderedStream().forEach(builder::listener);
		try {
			return builder.build();
		}
		catch (IllegalArgumentException ex) {
			throw ConfiguredKeyRules.contradiction(ex);
		}
	}

	// Not before it is needed: a test may have a client of another class
	@Bean(destroyMethod = "")
	@Lazy
	@ConditionalOnMissingBean
	LockInspector zkLockInspector(MemoryLockClient client) {
		return client.inspector();
	}

	// A build ahead of time has decided on this configuration
	private static void checkItIsWanted(Environment environment) {
		if (!environment.getProperty("zk-lock.in-memory", Boolean.class, false)) {
			throw new ZkLockStartupException(
					"The application was built ahead of time with zk-lock.in-memory=true, and is started without it: its locks would exclude nobody outside this process.",
					"Set zk-lock.in-memory=true here too, or build the application without it.");
		}
	}

	// No node has a name here, so keys with another prefix may as well have another root.
	private static String root(ZkLockProperties properties) {
		String prefix = properties.getKeyPrefix();
		return (prefix == null || prefix.isEmpty()) ? properties.getRoot() : properties.getRoot() + "/" + prefix;
	}

}
