package io.github.zklock.test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Refuses a test whose locks are not on the server of the test: a bean of the
 * application's may connect elsewhere, whatever the properties say, and a test would lock
 * there, and end a session there. A lock client of the application's is its own affair.
 */
final class ZkLockTestConnection {

	private static final String OURS = "io.github.zklock.autoconfigure.";

	/** Of which each setting changes the node. */
	private static final String KEY = "a/b";

	ZkLockTestConnection(ConfigurableListableBeanFactory beans, Environment environment) {
		try {
			for (ConfigurableListableBeanFactory one : withParents(beans)) {
				if (isOurs(one, ZooKeeperLockClient.class)) {
					check(connectString(one, environment), beans);
				}
			}
		}
		catch (NoSuchBeanDefinitionException ex) {
			// There is none, or the application itself says which one is missing
		}
	}

	private static List<ConfigurableListableBeanFactory> withParents(ConfigurableListableBeanFactory beans) {
		List<ConfigurableListableBeanFactory> all = new ArrayList<>();
		BeanFactory next = beans;
		while (next instanceof ConfigurableListableBeanFactory one) {
			all.add(one);
			next = one.getParentBeanFactory();
		}
		return all;
	}

	// A mock has our bean's definition, but not its type
	private static boolean isOurs(ConfigurableListableBeanFactory beans, Class<?> type) {
		return Stream.of(beans.getBeanNamesForType(type, true, false))
			.map(beans::getMergedBeanDefinition)
			.map(BeanDefinition::getFactoryBeanName)
			.anyMatch((name) -> name != null && name.startsWith(OURS));
	}

	// Our sessions would look at the root first, wherever it is
	private String connectString(ConfigurableListableBeanFactory beans, Environment environment) {
		return withParents(beans).stream().anyMatch((one) -> isOurs(one, LockSessions.class))
				? tested(beans, environment).getZookeeperClient().getCurrentConnectionString()
				: beans.getBean(LockSessions.class).servers();
	}

	/**
	 * Returns the connection of the locks.
	 * @param beans the beans of the application
	 * @param environment its properties
	 * @return the one that is named, the primary one, or the only one
	 */
	static CuratorFramework tested(ConfigurableListableBeanFactory beans, Environment environment) {
		String name = environment.getProperty("zk-lock.curator-bean", "");
		return name.isEmpty() ? beans.getBean(CuratorFramework.class) : beans.getBean(name, CuratorFramework.class);
	}

	/**
	 * Refuses a connection to other servers. Those of parents, each of which has its own,
	 * are none.
	 * @param connectString where it leads
	 * @param beans the beans of the application
	 */
	static void check(String connectString, ConfigurableListableBeanFactory beans) {
		List<String> servers = withParents(beans).stream()
			.filter((one) -> one.containsLocalBean(ZkLockTestCustomizer.SERVER))
			.map((one) -> one.getBean(ZkLockTestCustomizer.SERVER, EmbeddedZooKeeper.class).connectString())
			.toList();
		if (!servers.contains(connectString.split("/", 2)[0])) {
			throw new IllegalStateException(
					"@AutoConfigureZkLockTest has started a server at %s, but the locks of this test would be at %s: a bean of type CuratorFramework, LockSessions or ZkLockConnectionDetails, or a customizer, says so. Leave it out of the test, or let it connect to ${zk-lock.connect-string}."
						.formatted(servers.get(0), connectString));
		}
	}

	/**
	 * Refuses a tester that would look for keys where the locks do not have them:
	 * sessions of the user's may say more than the properties do.
	 * @param settings those of the tester
	 * @param beans the beans of the application
	 */
	static void checkKeyNodes(LockSessions.Builder settings, ConfigurableListableBeanFactory beans) {
		LockSessions sessions = beans.getBeanProvider(LockSessions.class).getIfUnique();
		if (sessions == null) {
			return;
		}
		try (LockSessions testers = settings.build()) {
			String keyNode = testers.keyNode(KEY);
			if (!keyNode.equals(sessions.keyNode(KEY))) {
				throw new IllegalStateException(
						"The LockTester would look for the key %s at %s, but the locks of this test have it at %s: the LockSessions bean says so. Set zk-lock.root, zk-lock.key-prefix and zk-lock.nested-keys to what it says. If its connection has a namespace, make a LockTester with that connection yourself."
							.formatted(KEY, keyNode, sessions.keyNode(KEY)));
			}
		}
	}

}
