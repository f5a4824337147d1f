package io.github.zklock.sample;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.autoconfigure.ZkLockAopAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.zookeeper.KeyRule;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Provokes every message that the README explains.
 */
class TroubleshootingTests {

	private static final Set<String> EXPLAINED = Readme.read()
		.table("Troubleshooting")
		.stream()
		.map((row) -> row.get(0).substring(1, row.get(0).length() - 1))
		.collect(Collectors.toSet());

	private static final Set<String> PROVOKED = ConcurrentHashMap.newKeySet();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class));

	private TestingServer server;

	private CuratorFramework curator;

	private LockClient client;

	@BeforeEach
	void connect() throws Exception {
		this.server = new TestingServer();
		this.curator = CuratorFrameworkFactory.newClient(this.server.getConnectString(), new RetryOneTime(100));
		this.curator.start();
		this.client = ZooKeeperLockClient.builder(this.curator).build();
	}

	@AfterEach
	void disconnect() throws Exception {
		this.client.close();
		this.curator.close();
		this.server.close();
	}

	@AfterAll
	static void everyExplainedMessageWasProvoked() {
		assertThat(PROVOKED).isEqualTo(EXPLAINED);
	}

	@Test
	void heldByAnother() throws Exception {
		try (LockHandle held = this.client.acquire(seconds(5, "key").owner("another"))) {
			assertExplained(
					catchThrowableOfType(LockTimeoutException.class, () -> this.client.acquire(millis(200, "key"))));
			held.release();
		}
	}

	@Test
	void queuedBehindAnother() throws Exception {
		try (CuratorFramework elsewhere = CuratorFrameworkFactory.newClient(this.server.getConnectString(),
				new RetryOneTime(100))) {
			elsewhere.start();
			try (ZooKeeperLockClient second = ZooKeeperLockClient.builder(elsewhere).build();
					ZooKeeperLockClient third = ZooKeeperLockClient.builder(elsewhere).build()) {
				LockHandle held = this.client.acquire(seconds(5, "key"));
				CompletableFuture<LockHandle> waiting = second.acquireAsync(seconds(60, "key"));
				await().until(() -> this.curator.getChildren().forPath("/zk-lock/key").size() == 2);
				await().pollInSameThread()
					.untilAsserted(() -> assertExplained(
							catchThrowableOfType(LockTimeoutException.class, () -> third.acquire(millis(300, "key")))));
				waiting.cancel(true);
				held.release();
			}
		}
	}

	@Test
	void beyondTheFairShare() throws Exception {
		try (ZooKeeperLockClient bounded = ZooKeeperLockClient.builder(this.curator)
			.rule(KeyRule.of("jobs/*").maxHeld(1))
			.build()) {
			LockHandle held = bounded.acquire(seconds(5, "jobs/1").owner("another"));
			assertExplained(
					catchThrowableOfType(LockTimeoutException.class, () -> bounded.acquire(millis(200, "jobs/2"))));
			held.release();
		}
	}

	@Test
	void permitsWithTwoNumbers() throws Exception {
		LockHandle held = this.client.acquire(LockRequest.permits("key", 5).owner("another"));
		assertExplained(
				catchThrowableOfType(LockException.class, () -> this.client.acquire(LockRequest.permits("key", 8))));
		held.release();
	}

	@Test
	void jobThatIsNotDue() throws Exception {
		LockClient jobs = this.client.notAgainWithin(Duration.ofMinutes(10), false);
		jobs.acquire(seconds(5, "job")).release();
		assertExplained(catchThrowableOfType(LockTimeoutException.class, () -> jobs.acquire(seconds(5, "job"))));
	}

	@Test
	void noAnswer() throws Exception {
		this.server.stop();
		assertExplained(
				catchThrowableOfType(LockUnavailableException.class, () -> this.client.acquire(millis(200, "key"))));
	}

	@Test
	void noRights() throws Exception {
		this.curator.setACL().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/");
		assertExplained(
				catchThrowableOfType(LockUnavailableException.class, () -> this.client.acquire(seconds(5, "key"))));
	}

	@Test
	void closedClient() {
		this.client.close();
		assertExplained(
				catchThrowableOfType(LockUnavailableException.class, () -> this.client.acquire(millis(200, "key"))));
	}

	@Test
	void writeInsideRead() throws Exception {
		try (LockHandle read = this.client.acquire(LockRequest.read("key").timeout(Duration.ofSeconds(5)))) {
			assertExplained(
					catchThrowableOfType(LockUpgradeException.class, () -> this.client.acquire(seconds(5, "key"))));
			read.release();
		}
	}

	@Test
	void reentryOfALostLock() throws Exception {
		try (LockHandle lost = this.client.acquire(seconds(5, "key").maxHold(Duration.ofMillis(50)))) {
			await().until(() -> !lost.isHeld());
			assertExplained(
					catchThrowableOfType(LockLostException.class, () -> this.client.acquire(seconds(5, "key"))));
		}
	}

	@Test
	void unknownStrategy() {
		assertExplained(catchThrowable(() -> this.client.acquire(seconds(5, "key").strategy("fair"))));
	}

	@Test
	void noCurrentLock() {
		assertExplained(catchThrowable(LockContext::current));
	}

	@Test
	void lostWhileTheMethodRan() {
		connected().run((context) -> assertExplained(
				catchThrowableOfType(LockLostException.class, () -> context.getBean(Work.class).holdForTooLong())));
	}

	@Test
	void lostBeforeTheCommit() {
		this.application.withUserConfiguration(Transactions.class)
			.withBean(Work.class)
			.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString(),
					"spring.datasource.generate-unique-name=true")
			.run((context) -> assertExplained(catchThrowableOfType(LockLostException.class,
					() -> context.getBean(Work.class).changeForTooLong())));
	}

	@Test
	void interruptedWhileWaiting() {
		connected().run((context) -> {
			Thread.currentThread().interrupt();
			assertExplained(
					catchThrowableOfType(LockException.class, () -> context.getBean(Work.class).holdForTooLong()));
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	@Test
	void annotationThatCannotWork() {
		connected().withBean(Mistake.class).run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void noServerNamed() {
		this.application.run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void noServerThere() {
		this.application.withPropertyValues("zk-lock.connect-string=127.0.0.1:1", "zk-lock.connection-timeout=200ms")
			.run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void unknownDefaultStrategy() {
		connected().withPropertyValues("zk-lock.strategy=fair")
			.run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void embeddedServerWithoutItsJars() {
		this.application.withPropertyValues("zk-lock.embedded.enabled=true")
			.withClassLoader(new FilteredClassLoader("com.codahale.metrics"))
			.run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void connectStringWithAPathThatIsMissing() {
		this.application.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString() + "/apps")
			.run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void sessionTimeoutThatTheServersRaise() {
		connected().withPropertyValues("zk-lock.session-timeout=200ms")
			.run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void rootThatLetsNobodyIn() throws Exception {
		this.curator.create().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/zk-lock");
		connected().run((context) -> assertExplained(context.getStartupFailure()));
	}

	@Test
	void embeddedServerOnATakenPort() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.application
				.withPropertyValues("zk-lock.embedded.enabled=true", "zk-lock.embedded.port=" + taken.getLocalPort())
				.run((context) -> assertExplained(context.getStartupFailure()));
		}
	}

	@Test
	void embeddedServerOnADirectoryThatIsServed(@TempDir Path directory) {
		ApplicationContextRunner embedded = this.application.withPropertyValues("zk-lock.embedded.enabled=true",
				"zk-lock.embedded.data-directory=" + directory);
		embedded.run((first) -> embedded.run((second) -> assertExplained(second.getStartupFailure())));
	}

	@Test
	void curatorThatIsNotStarted() {
		this.application
			.withBean(CuratorFramework.class,
					() -> CuratorFrameworkFactory.newClient(this.server.getConnectString(), new RetryOneTime(100)))
			.run((context) -> assertExplained(context.getStartupFailure()));
	}

	private ApplicationContextRunner connected() {
		return this.application.withBean(Work.class)
			.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString());
	}

	private static LockRequest seconds(int seconds, String key) {
		return LockRequest.exclusive(key).timeout(Duration.ofSeconds(seconds));
	}

	private static LockRequest millis(int millis, String key) {
		return LockRequest.exclusive(key).timeout(Duration.ofMillis(millis));
	}

	private static void assertExplained(Throwable failure) {
		Set<String> explanations = Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.flatMap((cause) -> explanations(cause.getMessage()))
			.collect(Collectors.toSet());
		assertThat(explanations).as("explanations of '%s'", failure).hasSize(1);
		PROVOKED.addAll(explanations);
	}

	// Of several that match a message the longest one explains it best
	private static Stream<String> explanations(@Nullable String message) {
		return EXPLAINED.stream()
			.filter((explained) -> message != null && Pattern
				.compile(Stream.of(explained.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*")))
				.matcher(message)
				.matches())
			.max(Comparator.comparingInt(String::length))
			.stream();
	}

	static class Work {

		@DistributedLock(maxHold = "50ms")
		void holdForTooLong() {
			LockHandle lock = LockContext.current();
			await().until(() -> !lock.isHeld());
		}

		@DistributedLock(maxHold = "50ms")
		@Transactional
		void changeForTooLong() {
			LockHandle lock = LockContext.current();
			await().until(() -> !lock.isHeld());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class })
	static class Transactions {

	}

	static class Mistake {

		@DistributedLock(key = "#nobody", mode = LockMode.WRITE)
		void work(String somebody) {
		}

	}

}
