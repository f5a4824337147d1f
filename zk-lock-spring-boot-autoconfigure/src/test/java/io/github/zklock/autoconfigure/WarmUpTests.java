package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.imps.CuratorFrameworkImpl;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.AddWatchMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.zklock.LockClient;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WarmUpTests {

	private static final String KEY_NODE = "/zk-lock/zk-lock-warm-up-";

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final List<LockListener.Event> acquired = new CopyOnWriteArrayList<>();

	private TestingServer server;

	private CuratorFramework observer;

	private ApplicationContextRunner runner;

	@BeforeEach
	void start() throws Exception {
		this.server = new TestingServer();
		this.observer = client(this.server);
		this.observer.create().forPath("/zk-lock");
		this.observer.watchers()
			.add()
			.withMode(AddWatchMode.PERSISTENT_RECURSIVE)
			.usingWatcher((CuratorWatcher) (event) -> this.events.add(event.getType() + " " + event.getPath()))
			.forPath("/zk-lock");
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withBean(LockListener.class, () -> new LockListener() {

				@Override
				public void acquired(Event event) {
					WarmUpTests.this.acquired.add(event);
				}

			})
			.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString());
	}

	@AfterEach
	void stop() throws Exception {
		this.observer.close();
		this.server.close();
	}

	@Test
	void twoLocksComeAndGoBeforeTheFirst() {
		this.runner.run((context) -> {
			await().until(() -> count("NodeDeleted") == 2);
			await().until(() -> this.observer.getChildren().forPath("/zk-lock").isEmpty());
			assertThat(count("NodeCreated")).isEqualTo(2);
			assertThat(this.events).allMatch((event) -> event.contains(" " + KEY_NODE));
			assertThat(this.acquired).isEmpty();
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("first")).release();
			await().until(() -> !this.acquired.isEmpty());
		});
		assertThat(this.acquired).hasSize(1);
	}

	private long count(String type) {
		return this.events.stream().filter((event) -> event.startsWith(type) && event.contains("-lock-0")).count();
	}

	@Test
	void thePropertyLeavesItOut() {
		this.runner.withPropertyValues("zk-lock.warm-up=false")
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("first")).release());
		// The session has ended, so no event can come after this one
		await().until(() -> count("NodeDeleted") == 1);
		assertThat(this.events).noneMatch((event) -> event.contains(KEY_NODE));
	}

	@Test
	@Tag("slow")
	void itAsksNothingOfAClosedClient() throws Exception {
		Logger log = (Logger) LoggerFactory.getLogger(CuratorFrameworkImpl.class);
		ListAppender<ILoggingEvent> errors = new ListAppender<>();
		errors.start();
		log.addAppender(errors);
		log.setLevel(Level.ERROR);
		try (TestingServer silent = stopped();
				CuratorFramework unanswered = client(silent);
				LockSessions sessions = LockSessions.builder(unanswered).build()) {
			for (int i = 0; i < 8; i++) {
				try (CuratorFramework curator = client(this.server); WarmUp warmUp = new WarmUp(curator, sessions)) {
					curator.blockUntilConnected();
				}
			}
		}
		finally {
			log.setLevel(null);
			log.detachAppender(errors);
		}
		assertThat(errors.list).isEmpty();
	}

	@Test
	void anApplicationThatEndsAtOnceLosesNothing() {
		assertThat(warningsOf(() -> {
			for (int i = 0; i < 8; i++) {
				this.runner.run((context) -> assertThat(context).hasNotFailed());
			}
		})).isEmpty();
	}

	@Test
	void aLockThatIsBroughtTooLateIsGivenBack() throws Exception {
		BlockingQueue<Runnable> late = new LinkedBlockingQueue<>();
		try (CuratorFramework curator = client(this.server);
				LockSessions sessions = LockSessions.builder(curator).build()) {
			WarmUp warmUp = new WarmUp(curator, sessions,
					ZooKeeperLockClient.builder(sessions).callbackExecutor(late::add).build());
			Runnable granted = late.poll(30, TimeUnit.SECONDS);
			assertThat(granted).isNotNull();
			assertThat(warningsOf(warmUp::close)).isEmpty();
			await().until(() -> count("NodeDeleted") == 1);
			granted.run();
		}
		assertThat(count("NodeCreated")).isOne();
	}

	private static List<ILoggingEvent> warningsOf(Runnable work) {
		Logger log = (Logger) LoggerFactory.getLogger("io.github.zklock");
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		log.addAppender(lines);
		try {
			work.run();
		}
		finally {
			log.detachAppender(lines);
		}
		return lines.list.stream().filter((line) -> line.getLevel().isGreaterOrEqual(Level.WARN)).toList();
	}

	private static TestingServer stopped() throws Exception {
		TestingServer server = new TestingServer();
		server.stop();
		return server;
	}

	private static CuratorFramework client(TestingServer server) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(1));
		client.start();
		return client;
	}

	@Test
	void itEndsWithTheApplicationIfNoServerAnswers() throws Exception {
		this.server.stop();
		this.runner.withPropertyValues("zk-lock.fail-fast=false").run((context) -> assertThat(context).hasNotFailed());
		await().atMost(Duration.ofSeconds(10))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().startsWith("zk-lock-")));
	}

}
