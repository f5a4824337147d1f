package io.github.zklock.test;

import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

import io.github.zklock.zookeeper.CuratorBlueprint;
import io.github.zklock.zookeeper.LockSessions;

/**
 * Gives a context a server and a tester. All are equal, so that contexts can be shared
 * among tests.
 */
record ZkLockTestCustomizer() implements ContextCustomizer {

	static final String SERVER = "zkLockTestServer";

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		EmbeddedZooKeeper server = EmbeddedZooKeeper.start();
		DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
		// Registered first, so destroyed last.
		beans.registerSingleton(SERVER, server);
		beans.registerDisposableBean(SERVER, server::close);
		context.addApplicationListener(new FailedStart(context, server));
		TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context,
				"zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=",
				"zk-lock.sasl.login-context=", "zk-lock.in-memory=false");
		// Before everything else of the application, so that it touches no other servers
		register(beans, "zkLockTestConnection", ZkLockTestConnection.class,
				() -> new ZkLockTestConnection(beans, context.getEnvironment()))
			.setLazyInit(false);
		RootBeanDefinition tester = register(beans, "zkLockTester", LockTester.class,
				() -> tester(beans, context.getEnvironment()));
		tester.setLazyInit(true);
		tester.setDestroyMethodName("close");
	}

	private static <T> RootBeanDefinition register(DefaultListableBeanFactory beans, String name, Class<T> type,
			Supplier<T> maker) {
		RootBeanDefinition definition = new RootBeanDefinition(type, maker);
		// What is worked out ahead of time is customized too, when the test runs
		definition.setAttribute(BeanRegistrationAotProcessor.IGNORE_REGISTRATION_ATTRIBUTE, true);
		beans.registerBeanDefinition(name, definition);
		return definition;
	}

	private static LockTester tester(DefaultListableBeanFactory beans, Environment environment) {
		if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, CuratorFramework.class).length == 0) {
			throw new IllegalStateException(
					"A LockTester needs the connection of the locks, but this test has none: zk-lock.enabled is false, or ZkLockAutoConfiguration is excluded or not on the class path.");
		}
		CuratorFramework tested = ZkLockTestConnection.tested(beans, environment);
		ZkLockTestConnection.check(tested.getZookeeperClient().getCurrentConnectionString(), beans);
		String root = environment.getProperty("zk-lock.root", "/zk-lock");
		String keyPrefix = environment.getProperty("zk-lock.key-prefix", "");
		boolean nestedKeys = environment.getProperty("zk-lock.nested-keys", Boolean.class, false);
		ZkLockTestConnection
			.checkKeyNodes(LockSessions.builder(tested).root(root).keyPrefix(keyPrefix).nestedKeys(nestedKeys), beans);
		return new LockTester(tested, root, keyPrefix, nestedKeys,
				beans.getBeanProvider(CuratorBlueprint.class).getIfAvailable(() -> () -> LockTester.another(tested)));
	}

	/**
	 * Closes the server of a context that fails before it has beans to be destroyed. Only
	 * of a failure is it notified while it is not active.
	 *
	 * @param context the context
	 * @param server its server
	 */
	private record FailedStart(ConfigurableApplicationContext context,
			EmbeddedZooKeeper server) implements ApplicationListener<ApplicationEvent> {

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
			if (!this.context.isActive()) {
				this.server.close();
			}
		}

	}

}
