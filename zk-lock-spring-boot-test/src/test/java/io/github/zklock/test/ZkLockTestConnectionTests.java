package io.github.zklock.test;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.autoconfigure.ZkLockConnectionDetails;
import io.github.zklock.autoconfigure.ZkLockCuratorCustomizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The locks of a test are on the server of the test, or it does not start.
 */
class ZkLockTestConnectionTests {

	private static EmbeddedZooKeeper shared;

	private static CuratorFramework toShared;

	@BeforeAll
	static void startServer() {
		shared = EmbeddedZooKeeper.start();
	}

	@AfterAll
	static void stopServer() {
		shared.close();
	}

	private static CuratorFramework connect(String connectString) {
		CuratorFramework curator = CuratorFrameworkFactory.newClient(connectString, new RetryOneTime(100));
		curator.start();
		return curator;
	}

	@ParameterizedTest
	@ValueSource(classes = { WithConnection.class, WithDetails.class, WithCustomizer.class })
	void locksElsewhereAreRefused(Class<?> type) {
		TestContext test = new TestContextManager(type).getTestContext();
		assertThatIllegalStateException().isThrownBy(test::getApplicationContext)
			.havingRootCause()
			.isExactlyInstanceOf(IllegalStateException.class)
			.withMessageStartingWith("@AutoConfigureZkLockTest has started a server at ")
			.withMessageContaining("the locks of this test would be at " + shared.connectString());
	}

	@Test
	void connectionThatIsRefusedIsClosed() {
		assertThatIllegalStateException()
			.isThrownBy(new TestContextManager(WithConnection.class).getTestContext()::getApplicationContext);
		assertThat(toShared.getState()).isEqualTo(CuratorFrameworkState.STOPPED);
	}

	@Test
	void connectionThatIsNotKnownIsReportedByTheApplication() {
		assertThatIllegalStateException()
			.isThrownBy(new TestContextManager(WithUnnamedConnections.class).getTestContext()::getApplicationContext)
			.withStackTraceContaining("There are several CuratorFramework beans (other, own)");
	}

	@ParameterizedTest
	@ValueSource(classes = { WithOwnConnection.class, WithTwoConnections.class, WithoutLocks.class })
	void otherConnectionsAreNot(Class<?> type) throws Exception {
		TestContext test = new TestContextManager(type).getTestContext();
		try {
			ApplicationContext context = test.getApplicationContext();
			if (context.getBeanNamesForType(LockClient.class).length > 0) {
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
				assertThat(context.getBean(LockTester.class).isFree("a")).isTrue();
			}
		}
		finally {
			test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
		}
	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithConnection {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework curator() {
				toShared = connect(shared.connectString());
				return toShared;
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithDetails {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			ZkLockConnectionDetails details() {
				return shared::connectString;
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithCustomizer {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			ZkLockCuratorCustomizer customizer() {
				return (builder) -> builder.connectString(shared.connectString());
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithOwnConnection {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework curator(@Value("${zk-lock.connect-string}") String connectString) throws Exception {
				try (CuratorFramework first = connect(connectString)) {
					first.create().forPath("/apps");
				}
				return connect(connectString + "/apps");
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "zk-lock.curator-bean=own")
	@AutoConfigureZkLockTest
	static class WithTwoConnections {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework other() {
				return connect(shared.connectString());
			}

			@Bean
			CuratorFramework own(@Value("${zk-lock.connect-string}") String connectString) {
				return connect(connectString);
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithUnnamedConnections {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework other() {
				return connect(shared.connectString());
			}

			@Bean
			CuratorFramework own(@Value("${zk-lock.connect-string}") String connectString) {
				return connect(connectString);
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "zk-lock.enabled=false")
	@AutoConfigureZkLockTest
	static class WithoutLocks {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework other() {
				return connect(shared.connectString());
			}

		}

	}

}
