package io.github.zklock.test;

import java.time.Duration;
import java.util.Set;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.ContextHierarchy;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.util.function.ThrowingConsumer;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.autoconfigure.ZkLockConnectionDetails;
import io.github.zklock.autoconfigure.ZkLockCuratorCustomizer;
import io.github.zklock.memory.MemoryLockClient;
import io.github.zklock.zookeeper.LockSessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The locks of a test are on the server of the test, or it does not start.
 */
class ZkLockTestConnectionTests {

	@AutoClose
	private static final EmbeddedZooKeeper shared = EmbeddedZooKeeper.start();

	private static CuratorFramework toShared;

	private static CuratorFramework connect(String connectString) {
		CuratorFramework curator = CuratorFrameworkFactory.newClient(connectString, new RetryOneTime(100));
		curator.start();
		return curator;
	}

	private static void inContextOf(Class<?> type, ThrowingConsumer<ApplicationContext> check) {
		TestContext test = new TestContextManager(type).getTestContext();
		try {
			check.accept(test.getApplicationContext());
		}
		finally {
			test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { WithConnection.class, WithDetails.class, WithCustomizer.class, WithSessions.class })
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
	void aContextThatFailsBeforeItHasBeansLeavesNoServer() {
		Set<Thread> before = TestAotTests.servers();
		assertThatIllegalStateException()
			.isThrownBy(new TestContextManager(WithFailingInitializer.class).getTestContext()::getApplicationContext)
			.withStackTraceContaining("of the initializer");
		Awaitility.await().untilAsserted(() -> assertThat(before).containsAll(TestAotTests.servers()));
	}

	@Test
	void connectionThatIsNotKnownIsReportedByTheApplication() {
		assertThatIllegalStateException()
			.isThrownBy(new TestContextManager(WithUnnamedConnections.class).getTestContext()::getApplicationContext)
			.withStackTraceContaining("There are several CuratorFramework beans (other, own)");
	}

	@ParameterizedTest
	@ValueSource(classes = { WithOwnConnection.class, WithTwoConnections.class, WithoutLocks.class,
			WithPropertiesOfProduction.class, WithCredentials.class, WithInheritedAnnotation.class })
	void otherConnectionsAreNot(Class<?> type) {
		inContextOf(type, (context) -> {
			if (context.getBeanNamesForType(LockClient.class).length > 0) {
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
				assertThat(context.getBean(LockTester.class).isFree("a")).isTrue();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WithShortSession.class, WithLongSession.class })
	void theServerTakesTheSessionTimeoutOfTheApplication(Class<?> type) {
		inContextOf(type, (context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
			Duration asked = context.getEnvironment().getRequiredProperty("zk-lock.session-timeout", Duration.class);
			assertThat(context.getBean(CuratorFramework.class).getZookeeperClient().getZooKeeper().getSessionTimeout())
				.isEqualTo((int) asked.toMillis());
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WithPrivateSessions.class, WithOwnClient.class, WithMock.class })
	void connectionsThatTheLocksDoNotUseAreRefusedToTheTesterOnly(Class<?> type) {
		inContextOf(type, (context) -> {
			context.getBean(LockClient.class).tryAcquire(LockRequest.exclusive("a")).ifPresent(LockHandle::release);
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(LockTester.class))
				.havingRootCause()
				.withMessageContaining("the locks of this test would be at " + shared.connectString());
		});
	}

	@Test
	void testerOfATestWithoutLocksSaysWhyThereAreNone() {
		inContextOf(WithoutConnection.class,
				(context) -> assertThatExceptionOfType(BeanCreationException.class)
					.isThrownBy(() -> context.getBean(LockTester.class))
					.havingRootCause()
					.withMessageContaining("zk-lock.enabled is false"));
	}

	@Test
	void aSliceHasLocksByTheAnnotationAlone() {
		inContextOf(OfASlice.class, (context) -> {
			LockTester locks = context.getBean(LockTester.class);
			assertThat(context.getBean(Orders.class).isFreeMeanwhile(locks)).isFalse();
			assertThat(context.getBeanDefinitionNames()).doesNotContain("zklocksEndpoint");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WithOwnRoot.class, WithOwnNamespace.class })
	void testerThatWouldLookElsewhereThanTheLocksAreIsRefused(Class<?> type) {
		inContextOf(type, (context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
			String keyNode = context.getBean(LockSessions.class).keyNode("a/b");
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(LockTester.class))
				.havingRootCause()
				.withMessageContaining("the locks of this test have it at " + keyNode)
				.withMessageContaining("zk-lock.root");
		});
	}

	@Test
	void testerFindsTheLocksOfSessionsThatHaveWhatThePropertiesSay() {
		inContextOf(WithRootOfTheProperties.class, (context) -> {
			try (LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("a"))) {
				assertThat(context.getBean(LockTester.class).isFree("a")).isFalse();
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WithParent.class, WithParentsConnection.class })
	void locksOnTheServerOfAParentAreNot(Class<?> type) {
		inContextOf(type, (context) -> {
			assertThat(context.getParent().getBean("zkLockTestServer"))
				.isNotSameAs(context.getBean("zkLockTestServer"));
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
			assertThat(context.getBean(LockTester.class).isFree("a")).isTrue();
		});
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

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Locking.class)
	@ContextConfiguration(initializers = FailingInitializer.class)
	@AutoConfigureZkLockTest
	static class WithFailingInitializer {

	}

	static class FailingInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			throw new IllegalStateException("of the initializer");
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

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Locking.class,
			properties = "zk-lock.session-timeout=2s")
	@AutoConfigureZkLockTest
	static class WithShortSession {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Locking.class,
			properties = "zk-lock.session-timeout=2m")
	@AutoConfigureZkLockTest
	static class WithLongSession {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Locking {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Locking.class,
			properties = { "zk-lock.in-memory=true", "zk-lock.connect-string=192.0.2.1:2181",
					"zk-lock.ssl.bundle=production", "zk-lock.sasl.login-context=Production" })
	@AutoConfigureZkLockTest
	static class WithPropertiesOfProduction {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Locking.class,
			properties = { "zk-lock.auth[0].username=shop", "zk-lock.auth[0].password=secret" })
	@AutoConfigureZkLockTest
	static class WithCredentials {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Locking.class)
	@AutoConfigureZkLockTest
	abstract static class Annotated {

	}

	static class WithInheritedAnnotation extends Annotated {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Object.class, properties = "zk-lock.enabled=false")
	@AutoConfigureZkLockTest
	static class WithoutConnection {

	}

	// It has no auto-configuration but what its annotations bring
	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = Orders.class)
	@AutoConfigureZkLockTest
	static class OfASlice {

	}

	static class Orders {

		@DistributedLock(key = "orders")
		boolean isFreeMeanwhile(LockTester locks) throws InterruptedException {
			return locks.isFree("orders");
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

	/**
	 * A connection that is no bean.
	 *
	 * @param curator the connection
	 */
	record PrivateConnection(CuratorFramework curator) implements AutoCloseable {

		@Override
		public void close() {
			this.curator.close();
		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithSessions {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework other(@Value("${zk-lock.connect-string}") String connectString) {
				return connect(connectString);
			}

			@Bean
			PrivateConnection connection() {
				return new PrivateConnection(connect(shared.connectString()));
			}

			@Bean
			LockSessions sessions(PrivateConnection connection) {
				return LockSessions.builder(connection.curator()).build();
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithPrivateSessions {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework other() {
				return connect(shared.connectString());
			}

			@Bean
			PrivateConnection connection(@Value("${zk-lock.connect-string}") String connectString) {
				return new PrivateConnection(connect(connectString));
			}

			@Bean
			LockSessions sessions(PrivateConnection connection) {
				return LockSessions.builder(connection.curator()).build();
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = OwnRoot.class)
	@AutoConfigureZkLockTest
	static class WithOwnRoot {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = OwnRoot.class,
			properties = { "zk-lock.root=/locks", "zk-lock.key-prefix=shop:" })
	@AutoConfigureZkLockTest
	static class WithRootOfTheProperties {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class OwnRoot {

		@Bean
		LockSessions sessions(CuratorFramework curator) {
			return LockSessions.builder(curator).root("/locks").keyPrefix("shop:").build();
		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithOwnNamespace {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			LockSessions sessions(CuratorFramework curator) {
				return LockSessions.builder(curator.usingNamespace("shop")).build();
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	static class WithOwnClient {

		@Configuration(proxyBeanMethods = false)
		@EnableAutoConfiguration
		static class Application {

			@Bean
			CuratorFramework other() {
				return connect(shared.connectString());
			}

			@Bean
			LockClient lockClient() {
				return MemoryLockClient.builder().build();
			}

		}

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = WithoutLocks.Application.class)
	@AutoConfigureZkLockTest
	@MockitoBean(types = LockClient.class)
	static class WithMock {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	@ContextHierarchy({ @ContextConfiguration(classes = ParentWithLocks.class),
			@ContextConfiguration(classes = WithoutBeans.class) })
	static class WithParent {

	}

	@SpringBootTest(webEnvironment = WebEnvironment.NONE)
	@AutoConfigureZkLockTest
	@ContextHierarchy({ @ContextConfiguration(classes = ParentsConnection.class),
			@ContextConfiguration(classes = WithoutBeans.class) })
	static class WithParentsConnection {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithoutBeans {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ParentWithLocks {

	}

	@Configuration(proxyBeanMethods = false)
	static class ParentsConnection {

		@Bean
		CuratorFramework curator(@Value("${zk-lock.connect-string}") String connectString) {
			return connect(connectString);
		}

	}

}
