package io.github.zklock.test;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

import io.github.zklock.zookeeper.CuratorBlueprint;

/**
 * Gives a context a server and a tester. All are equal, so that contexts can be shared
 * among tests.
 */
record ZkLockTestCustomizer() implements ContextCustomizer {

	private static final String SERVER = "zkLockTestServer";

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		EmbeddedZooKeeper server = EmbeddedZooKeeper.start();
		DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
		// Registered first, so destroyed last.
		beans.registerSingleton(SERVER, server);
		beans.registerDisposableBean(SERVER, server::close);
		TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context,
				"zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=",
				"zk-lock.sasl.login-context=", "zk-lock.in-memory=false");
		RootBeanDefinition tester = new RootBeanDefinition(LockTester.class,
				() -> tester(beans, context.getEnvironment()));
		tester.setLazyInit(true);
		tester.setDestroyMethodName("close");
		// What is worked out ahead of time is customized too, when the test runs
		tester.setAttribute(BeanRegistrationAotProcessor.IGNORE_REGISTRATION_ATTRIBUTE, true);
		beans.registerBeanDefinition("zkLockTester", tester);
	}

	private static LockTester tester(DefaultListableBeanFactory beans, Environment environment) {
		String name = environment.getProperty("zk-lock.curator-bean", "");
		CuratorFramework tested = name.isEmpty() ? beans.getBean(CuratorFramework.class)
				: beans.getBean(name, CuratorFramework.class);
		return new LockTester(tested, environment.getProperty("zk-lock.root", "/zk-lock"),
				environment.getProperty("zk-lock.key-prefix", ""),
				environment.getProperty("zk-lock.nested-keys", Boolean.class, false),
				beans.getBeanProvider(CuratorBlueprint.class).getIfAvailable(() -> () -> LockTester.another(tested)));
	}

}
