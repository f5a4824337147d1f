package io.github.zklock.test;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.env.Environment;

import io.github.zklock.LockClient;

/**
 * Refuses a test whose locks are not on the server of the test: a bean of the
 * application's may connect elsewhere, whatever the properties say, and a test would lock
 * there, and end a session there.
 */
final class ZkLockTestConnection {

	ZkLockTestConnection(ListableBeanFactory beans, Environment environment, String server) {
		if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockClient.class, true, false).length == 0) {
			return;
		}
		try {
			check(tested(beans, environment).getZookeeperClient().getCurrentConnectionString(), server);
		}
		catch (NoSuchBeanDefinitionException ex) {
			// There is none, or the application itself says which one is missing
		}
	}

	/**
	 * Returns the connection of the locks.
	 * @param beans the beans of the application
	 * @param environment its properties
	 * @return the one that is named, the primary one, or the only one
	 */
	static CuratorFramework tested(ListableBeanFactory beans, Environment environment) {
		String name = environment.getProperty("zk-lock.curator-bean", "");
		return name.isEmpty() ? beans.getBean(CuratorFramework.class) : beans.getBean(name, CuratorFramework.class);
	}

	private void check(String connectString, String server) {
		if (!connectString.split("/", 2)[0].equals(server)) {
			throw new IllegalStateException(
					"@AutoConfigureZkLockTest has started a server at %s, but the locks of this test would be at %s: a bean of type CuratorFramework or ZkLockConnectionDetails, or a customizer, says so. Leave it out of the test, or let it connect to ${zk-lock.connect-string}."
						.formatted(server, connectString));
		}
	}

}
