package io.github.zklock.test;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.apache.curator.framework.imps.CuratorFrameworkImpl;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is started is that of one class, and ends with it.
 */
class ZkLockExtensionStartTests {

	private static TestExecutionSummary execute(TestExecutionListener listener, Class<?>... classes) {
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(List.of(classes).stream().map(DiscoverySelectors::selectClass).toArray(ClassSelector[]::new))
				.configurationParameters(
						Map.of("junit.jupiter.conditions.deactivate", "*", "junit.jupiter.execution.parallel.enabled",
								"true", "junit.jupiter.execution.parallel.mode.classes.default", "concurrent",
								"junit.jupiter.execution.parallel.config.strategy", "fixed",
								"junit.jupiter.execution.parallel.config.fixed.parallelism", "2"))
				.build(), summary, listener);
		return summary.getSummary();
	}

	private static TestExecutionSummary execute(Class<?> type) {
		return execute(new TestExecutionListener() {
		}, type);
	}

	private static List<Throwable> failures(TestExecutionSummary summary) {
		return summary.getFailures().stream().map(Failure::getException).toList();
	}

	@Test
	void classesThatShareAnExtensionHaveServersOfTheirOwn() {
		Set<Thread> before = TestAotTests.servers();
		Shared.servers.clear();
		assertThat(failures(execute(new TestExecutionListener() {

			@Override
			public void executionFinished(TestIdentifier test, TestExecutionResult result) {
				if (test.isContainer() && test.getDisplayName().contains("Early")) {
					Shared.earlyEnded.countDown();
				}
			}

		}, Early.class, Late.class))).isEmpty();
		assertThat(Shared.servers).hasSize(2);
		await().untilAsserted(() -> assertThat(before).containsAll(TestAotTests.servers()));
	}

	@Test
	void nothingIsLeftRunningIfALaterParameterFails() {
		Set<Thread> before = TestAotTests.servers();
		assertThat(failures(execute(Refused.class))).singleElement()
			.asString()
			.contains("Failed to resolve parameter [java.lang.String");
		await().untilAsserted(() -> assertThat(before).containsAll(TestAotTests.servers()));
	}

	@Test
	void nothingIsLeftRunningIfTheClientCannotConnect() {
		Set<Thread> before = TestAotTests.servers();
		Logger logger = (Logger) LoggerFactory.getLogger(CuratorFrameworkImpl.class);
		Level level = logger.getLevel();
		InterruptingAppender appender = new InterruptingAppender();
		logger.setLevel(Level.INFO);
		logger.addAppender(appender);
		appender.start();
		try {
			assertThat(failures(execute(Interrupted.class))).singleElement()
				.asString()
				.contains("Interrupted while connecting");
		}
		finally {
			logger.detachAppender(appender);
			logger.setLevel(level);
		}
		await().untilAsserted(() -> assertThat(before).containsAll(TestAotTests.servers()));
	}

	/** Is no class of tests of its own, nor are those that follow. */
	abstract static class Shared {

		@RegisterExtension
		static final ZkLockExtension locks = new ZkLockExtension();

		static final Set<String> servers = ConcurrentHashMap.newKeySet();

		static final CountDownLatch bothBegun = new CountDownLatch(2);

		static final CountDownLatch earlyEnded = new CountDownLatch(1);

		@Test
		void locksWhileTheOtherClassDoes(TestInfo test, LockClient client, EmbeddedZooKeeper server) throws Exception {
			servers.add(server.connectString());
			bothBegun.countDown();
			assertThat(bothBegun.await(20, TimeUnit.SECONDS)).isTrue();
			if (test.getTestClass().filter(Late.class::equals).isPresent()) {
				assertThat(earlyEnded.await(20, TimeUnit.SECONDS)).isTrue();
			}
			client.acquire(LockRequest.exclusive("a")).release();
		}

	}

	@Disabled("run by a test above")
	static class Early extends Shared {

	}

	@Disabled("run by a test above")
	static class Late extends Shared {

	}

	@ExtendWith({ ZkLockExtension.class, Refusing.class })
	@TestInstance(Lifecycle.PER_CLASS)
	@Disabled("run by a test above")
	static class Refused {

		Refused(LockClient given, String refused) {
			throw new AssertionError("There is no " + refused + " for " + given);
		}

		@Test
		void isNeverRun() {
			throw new AssertionError("There is no instance");
		}

	}

	static final class Refusing implements ParameterResolver {

		@Override
		public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
			return parameter.getParameter().getType() == String.class;
		}

		@Override
		public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
			throw new IllegalStateException("planted");
		}

	}

	@ExtendWith(ZkLockExtension.class)
	@Disabled("run by a test above")
	static class Interrupted {

		@Test
		void isNeverRun() {
			throw new AssertionError("There is no client");
		}

	}

	/** Interrupts the thread that starts a connection. */
	private static final class InterruptingAppender extends AppenderBase<ILoggingEvent> {

		@Override
		protected void append(ILoggingEvent event) {
			if (event.getMessage().equals("Starting")) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
