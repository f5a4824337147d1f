package io.github.zklock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.listen.ListenerManager;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionOverrideException;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.FencedWriter;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.NaiveLockStrategy;
import io.github.zklock.zookeeper.SequentialLockStrategy;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ZkLockAutoConfigurationTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final ApplicationContextRunner unconnected = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.unconnected
		.withPropertyValues("zk-lock.connect-string=" + server.connectString());

	private static String nodeOf(CuratorFramework curator, String keyNode) throws Exception {
		List<String> children = curator.getChildren().forPath(keyNode);
		assertThat(children).hasSize(1);
		return new String(curator.getData().forPath(keyNode + "/" + children.get(0)), StandardCharsets.UTF_8);
	}

	@Test
	void makesAClientFromTheConnectString() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(CuratorFramework.class)
				.hasSingleBean(LockSessions.class)
				.hasSingleBean(SequentialLockStrategy.class)
				.hasSingleBean(NaiveLockStrategy.class)
				.hasSingleBean(ZooKeeperLockClient.class);
			try (LockHandle handle = context.getBean(LockClient.class).acquire(LockRequest.exclusive("a"))) {
				assertThat(handle.isHeld()).isTrue();
			}
		});
	}

	@Test
	void closesWhatItMade() {
		List<CuratorFramework> made = new ArrayList<>();
		this.runner.run((context) -> made.add(context.getBean(CuratorFramework.class)));
		assertThat(made).singleElement()
			.extracting(CuratorFramework::getState)
			.isEqualTo(CuratorFrameworkState.STOPPED);
	}

	@Test
	void releasesItsLocksWhenTheContextCloses() throws Exception {
		Duration soon = Duration.ofSeconds(5); // Sessions last three times as long
		this.runner.withPropertyValues("zk-lock.root=/closing")
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("a").strategy("naive")));
		this.runner.withPropertyValues("zk-lock.root=/closing")
			.run((context) -> assertThat(context.getBean(LockClient.class)
				.tryAcquire(LockRequest.exclusive("a").strategy("naive").timeout(soon))).isPresent());
	}

	@Test
	void usesTheCuratorFrameworkBeanAndLeavesItOpen() {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			this.unconnected
				.withBean(CuratorFramework.class, () -> own, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> {
					assertThat(context).hasSingleBean(CuratorFramework.class)
						.doesNotHaveBean(ZkLockConnectionDetails.class)
						.hasSingleBean(LockClient.class);
					context.getBean(LockClient.class).acquire(LockRequest.exclusive("own")).release();
				});
			assertThat(own.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOfAConnectStringThatTheCuratorFrameworkBeanDoesNotHave(CapturedOutput output) {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			ApplicationContextRunner ofUser = this.unconnected.withBean(CuratorFramework.class, () -> own,
					(definition) -> definition.setDestroyMethodName(""));
			ofUser.withPropertyValues("zk-lock.connect-string= " + server.connectString())
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("as zk-lock.connect-string says");
			ofUser.withPropertyValues("zk-lock.connect-string=elsewhere.invalid:2181")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).contains("Locks are at " + server.connectString(),
					"and not at elsewhere.invalid:2181, as zk-lock.connect-string says");
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOfConnectionDetailsThatTheCuratorFrameworkBeanDoesNotHave(CapturedOutput output) {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			ApplicationContextRunner ofUser = this.unconnected.withBean(CuratorFramework.class, () -> own,
					(definition) -> definition.setDestroyMethodName(""));
			ofUser.withBean("zkLockConnectionDetails", ZkLockConnectionDetails.class, () -> server::connectString)
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("Locks are at");
			ofUser.withBean("container", ZkLockConnectionDetails.class, () -> () -> "elsewhere.invalid:2181")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).contains("Locks are at " + server.connectString(),
					"and not at elsewhere.invalid:2181, as the bean container says");
			this.unconnected.withBean(LockSessions.class, () -> LockSessions.builder(own).build())
				.withBean("compose", ZkLockConnectionDetails.class, () -> () -> "elsewhere.invalid:2181")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).contains("and not at elsewhere.invalid:2181, as the bean compose says");
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void connectionDetailsThatCannotBeAskedStopNoStart(CapturedOutput output) {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			ApplicationContextRunner ofUser = this.unconnected.withBean(CuratorFramework.class, () -> own,
					(definition) -> definition.setDestroyMethodName(""));
			ofUser.withBean("container", ZkLockConnectionDetails.class, () -> () -> {
				throw new IllegalArgumentException("Requested port (2181) is not mapped");
			}).run((context) -> assertThat(context).hasNotFailed());
			ofUser
				.withBean("perRequest", ZkLockConnectionDetails.class, () -> () -> "elsewhere.invalid:2181",
						(definition) -> definition.setScope("request"))
				.run((context) -> assertThat(context).hasNotFailed());
			ofUser
				.withBean("eachTime", ZkLockConnectionDetails.class, () -> () -> "elsewhere.invalid:2181",
						(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("Locks are at");
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOfConnectionDetailsThatHaveTheNameOfOurs(CapturedOutput output) {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			ApplicationContextRunner ofUser = this.unconnected.withBean(LockSessions.class,
					() -> LockSessions.builder(own).build());
			ofUser.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("Locks are at");
			ofUser
				.withBean("zkLockConnectionDetails", ZkLockConnectionDetails.class,
						() -> () -> "elsewhere.invalid:2181")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).contains("and not at elsewhere.invalid:2181, as the bean zkLockConnectionDetails says");
		}
	}

	// As one that tracks the ensemble does when it has heard what the servers announce
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theServersOfAnotherOrderAreTheSame(CapturedOutput output) {
		String port = server.connectString().substring(server.connectString().indexOf(':'));
		FixedEnsembleProvider servers = new FixedEnsembleProvider("localhost" + port + ",127.0.0.1" + port);
		try (CuratorFramework own = CuratorFrameworkFactory.builder()
			.ensembleProvider(servers)
			.ensembleTracker(false)
			.retryPolicy(new RetryOneTime(100))
			.build()) {
			own.start();
			servers.setConnectionString("127.0.0.1" + port + ",localhost" + port);
			ApplicationContextRunner ofUser = this.unconnected.withBean(CuratorFramework.class, () -> own,
					(definition) -> definition.setDestroyMethodName(""));
			ofUser.withPropertyValues("zk-lock.connect-string=LOCALHOST%1$s, 127.0.0.1%1$s".formatted(port))
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("as zk-lock.connect-string says");
			ofUser.withPropertyValues("zk-lock.connect-string=localhost%1$s,127.0.0.1%1$s/apps".formatted(port))
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).contains("/apps, as zk-lock.connect-string says", "ensembleTracker(false)");
		}
	}

	@Test
	void nothingWaitsForAConnectionWhenTheApplicationHasEnded() {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(100))) {
			own.start();
			int before = listeners(own);
			this.unconnected
				.withBean(CuratorFramework.class, () -> own, (definition) -> definition.setDestroyMethodName(""))
				.withPropertyValues("zk-lock.fail-fast=false")
				.run((context) -> assertThat(listeners(own)).isGreaterThan(before));
			assertThat(listeners(own)).isEqualTo(before);
		}
	}

	@Test
	void nothingListensToTheApplicationsConnectionWhenItsStartHasFailed() throws Exception {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			own.create().withMode(CreateMode.EPHEMERAL).forPath("/of-another-application");
			int before = listeners(own);
			this.unconnected
				.withBean(CuratorFramework.class, () -> own, (definition) -> definition.setDestroyMethodName(""))
				.withPropertyValues("zk-lock.root=/of-another-application/locks")
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(ZkLockStartupException.class)
					.hasMessageContaining("NOCHILDRENFOREPHEMERALS"));
			assertThat(listeners(own)).isEqualTo(before);
		}
	}

	private static int listeners(CuratorFramework curator) {
		return ((ListenerManager<?, ?>) curator.getConnectionStateListenable()).size();
	}

	@Test
	void usesTheCuratorFrameworkOfAnEarlierAutoConfiguration() {
		assertThat(ZkLockAutoConfiguration.class.getAnnotation(AutoConfiguration.class).afterName())
			.containsExactly("org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration");
	}

	@Test
	void refusesACuratorFrameworkThatIsNotStarted() {
		this.unconnected
			.withBean(CuratorFramework.class,
					() -> CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100)))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("is in state LATENT, but locks need a started client"));
	}

	@Test
	void userOwnedClientReplacesEverything() {
		this.unconnected.withBean(LockClient.class, InMemoryLockClient::new)
			.run((context) -> assertThat(context).hasSingleBean(LockClient.class)
				.doesNotHaveBean(CuratorFramework.class)
				.doesNotHaveBean(LockSessions.class)
				.doesNotHaveBean(LockStrategy.class));
	}

	@Test
	void connectionDetailsWinOverTheConnectString() {
		this.unconnected.withPropertyValues("zk-lock.connect-string=nowhere.invalid:1")
			.withBean(ZkLockConnectionDetails.class, () -> server::connectString)
			.run((context) -> assertThat(
					context.getBean(CuratorFramework.class).getZookeeperClient().getCurrentConnectionString())
				.isEqualTo(server.connectString()));
	}

	@Test
	void isOffWhenDisabled() {
		this.unconnected.withPropertyValues("zk-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockClient.class)
				.doesNotHaveBean(CuratorFramework.class)
				.doesNotHaveBean(ZkLockProperties.class)
				.doesNotHaveBean("zkLockAdvisor"));
	}

	@Test
	void timeoutsAndRetriesReachCurator() {
		this.runner
			.withPropertyValues("zk-lock.session-timeout=7s", "zk-lock.connection-timeout=3s",
					"zk-lock.retry.base-sleep=10ms", "zk-lock.retry.max-sleep=20ms", "zk-lock.retry.max-retries=2")
			.run((context) -> {
				CuratorFramework curator = context.getBean(CuratorFramework.class);
				assertThat(curator.getZookeeperClient().getZooKeeper().getSessionTimeout()).isEqualTo(7000);
				assertThat(curator.getZookeeperClient().getConnectionTimeoutMs()).isEqualTo(3000);
				assertThat(curator.getZookeeperClient().getRetryPolicy())
					.hasFieldOrPropertyWithValue("baseSleepTimeMs", 10)
					.hasFieldOrPropertyWithValue("maxSleepTimeMs", 20)
					.hasFieldOrPropertyWithValue("n", 2);
			});
	}

	@Test
	void customizersComeInTheirOrder() {
		this.runner.withUserConfiguration(OrderedCustomizers.class)
			.run((context) -> assertThat(context.getBean(CuratorFramework.class).getNamespace()).isEqualTo("last"));
	}

	@Test
	void customizersChangeTheCuratorClient() {
		this.runner.withBean(ZkLockCuratorCustomizer.class, () -> (builder) -> builder.namespace("apps"))
			.run((context) -> assertThat(context.getBean(CuratorFramework.class).getNamespace()).isEqualTo("apps"));
	}

	@Test
	void rootApplicationAndInstanceReachTheNodes() {
		this.runner
			.withPropertyValues("zk-lock.root=/teams/shop", "zk-lock.application=billing", "zk-lock.instance=billing-7")
			.run((context) -> {
				try (LockHandle handle = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
					assertThat(handle.isHeld()).isTrue();
					assertThat(nodeOf(context.getBean(CuratorFramework.class), "/teams/shop/k")).contains("\"billing\"")
						.contains("\"billing-7\"");
				}
			});
	}

	@Test
	void prefixAndNestingOfKeysReachTheNodes() {
		this.runner.withPropertyValues("zk-lock.root=/prefixed", "zk-lock.key-prefix=shop:").run((context) -> {
			try (LockHandle handle = context.getBean(LockClient.class).acquire(LockRequest.exclusive("a/b"))) {
				assertThat(handle.key()).isEqualTo("a/b");
				assertThat(nodeOf(context.getBean(CuratorFramework.class), "/prefixed/shop:a%2Fb")).contains("thread");
			}
		});
		this.runner.withPropertyValues("zk-lock.root=/nested", "zk-lock.nested-keys=true").run((context) -> {
			try (LockHandle handle = context.getBean(LockClient.class).acquire(LockRequest.exclusive("a/b"))) {
				assertThat(handle.key()).isEqualTo("a/b");
				assertThat(nodeOf(context.getBean(CuratorFramework.class), "/nested/a/b")).contains("thread");
			}
		});
	}

	@Test
	void applicationIsNamedAsSpringDoesUnlessSet() {
		this.runner.withPropertyValues("zk-lock.root=/named", "spring.application.name=shop").run((context) -> {
			try (LockHandle handle = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				assertThat(handle.isHeld()).isTrue();
				assertThat(nodeOf(context.getBean(CuratorFramework.class), "/named/k")).contains("\"shop\"");
			}
		});
	}

	@Test
	void aclProviderProtectsTheNodes() {
		List<ACL> acl = List.of(new ACL(ZooDefs.Perms.ALL, ZooDefs.Ids.ANYONE_ID_UNSAFE));
		List<String> asked = new CopyOnWriteArrayList<>();
		this.runner.withPropertyValues("zk-lock.root=/protected").withBean(ACLProvider.class, () -> new ACLProvider() {
			@Override
			public List<ACL> getDefaultAcl() {
				return acl;
			}

			@Override
			public List<ACL> getAclForPath(String path) {
				asked.add(path);
				return acl;
			}
		}).run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
			assertThat(asked).anyMatch((path) -> path.startsWith("/protected/k"));
		});
	}

	@Test
	void defaultTimeoutIsUsedByRequestsThatNameNone() {
		this.runner.withPropertyValues("zk-lock.timeout=700ms").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			try (LockHandle held = client.acquire(LockRequest.exclusive("busy").owner("another"))) {
				assertThat(held.isHeld()).isTrue();
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(LockRequest.exclusive("busy")))
					.withMessageContaining("700ms");
			}
		});
	}

	@Test
	void handoffAndRetainReachTheClient() {
		this.runner.run((context) -> assertThat(handoff(context, "k")).isEqualTo(Handoff.DEFAULT));
		this.runner
			.withPropertyValues("zk-lock.handoff.max-count=7", "zk-lock.handoff.min-duration=2ms",
					"zk-lock.handoff.max-duration=30ms", "zk-lock.retain=2s")
			.run((context) -> assertThat(handoff(context, "k"))
				.isEqualTo(new Handoff(7, Duration.ofMillis(2), Duration.ofMillis(30), Duration.ofSeconds(2))));
	}

	@SuppressWarnings("unchecked")
	static Handoff handoff(ApplicationContext context, String key) {
		Object part = context.getBean(ZooKeeperLockClient.class);
		for (String field : List.of("parts", "core", "cohorts", "cohorts", "handoff")) {
			part = ReflectionTestUtils.getField(part, field);
			assertThat(part).as(field).isNotNull();
		}
		return ((Function<String, Handoff>) part).apply(key);
	}

	@Test
	void handoffIsTurnedOffByZero() {
		this.runner.run((context) -> assertThat(tokensOfTwoCallers(context.getBean(LockClient.class))).isEqualTo(1));
		this.runner.withPropertyValues("zk-lock.handoff.max-count=0")
			.run((context) -> assertThat(tokensOfTwoCallers(context.getBean(LockClient.class)))
				.isGreaterThanOrEqualTo(Grant.TOKENS));
	}

	private static long tokensOfTwoCallers(LockClient client) throws Exception {
		LockHandle first = client.acquire(LockRequest.exclusive("handed-over"));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive("handed-over"));
		first.release();
		try (LockHandle second = waiting.get(10, TimeUnit.SECONDS)) {
			return second.fencingToken() - first.fencingToken();
		}
	}

	@Test
	void aLockIsRetainedIfThatIsWanted() {
		this.runner.run((context) -> assertThat(tokensOfTwoCalls(context.getBean(LockClient.class)))
			.isGreaterThanOrEqualTo(Grant.TOKENS));
		this.runner.withPropertyValues("zk-lock.retain=1m")
			.run((context) -> assertThat(tokensOfTwoCalls(context.getBean(LockClient.class))).isEqualTo(1));
	}

	private static long tokensOfTwoCalls(LockClient client) throws Exception {
		LockHandle first = client.acquire(LockRequest.exclusive("retained"));
		first.releaseAsync().join();
		try (LockHandle second = client.acquire(LockRequest.exclusive("retained"))) {
			return second.fencingToken() - first.fencingToken();
		}
	}

	@Test
	void defaultStrategyIsUsedByRequestsThatNameNone() {
		RecordingStrategy own = new RecordingStrategy();
		this.runner.withBean("fairLockStrategy", LockStrategy.class, () -> own)
			.withPropertyValues("zk-lock.strategy=fair")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				client.tryAcquire(LockRequest.exclusive("k").timeout(Duration.ofMillis(200)));
				assertThat(own.entries).hasSize(1);
				client.acquire(LockRequest.exclusive("k").strategy("sequential")).release();
				assertThat(own.entries).hasSize(1);
			});
	}

	@Test
	void strategyBeansAreKnownByTheirNames() {
		this.runner.withBean("fairLockStrategy", LockStrategy.class, RecordingStrategy::new)
			.withBean("quick", LockStrategy.class, RecordingStrategy::new)
			.run((context) -> assertThat(context.getBean(ZooKeeperLockClient.class).strategies()).contains("fair",
					"fairLockStrategy", "quick", "naive", "naiveLockStrategy", "sequential", "sequentialLockStrategy"));
	}

	@Test
	void builtInStrategiesAreReplacedByBeanName() {
		RecordingStrategy own = new RecordingStrategy();
		this.runner.withBean("naiveLockStrategy", LockStrategy.class, () -> own).run((context) -> {
			assertThat(context).doesNotHaveBean(NaiveLockStrategy.class).hasSingleBean(SequentialLockStrategy.class);
			context.getBean(LockClient.class)
				.tryAcquire(LockRequest.exclusive("k").strategy("naive").timeout(Duration.ofMillis(200)));
			assertThat(own.entries).hasSize(1);
		});
		this.runner.withBean("sequentialLockStrategy", LockStrategy.class, RecordingStrategy::new)
			.run((context) -> assertThat(context).doesNotHaveBean(SequentialLockStrategy.class)
				.hasSingleBean(NaiveLockStrategy.class));
	}

	@Test
	void aFencedWriterOfTheUsersWins() {
		this.runner.withUserConfiguration(OwnWriter.class)
			.run((context) -> assertThat(context).hasSingleBean(FencedWriter.class).hasBean("ownWriter"));
	}

	@Test
	void strategyBeanMayUseTheSessions() {
		this.runner.withUserConfiguration(OwnStrategy.class)
			.withPropertyValues("zk-lock.strategy=own")
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void slowWaitIsWarnedOfAfterTheTimeOfTheProperty(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.slow-wait=20ms").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			LockHandle held = client.acquire(LockRequest.exclusive("slow"));
			CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive("slow"));
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(output).contains("has waited 20ms for lock 'slow': held by this process"));
			held.release();
			waiting.join().release();
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aKeyIsWarnedOfOnceInTheIntervalOfTheProperty(CapturedOutput output) {
		ApplicationContextRunner slow = this.runner.withPropertyValues("zk-lock.slow-wait=20ms");
		twoWaitSlowlyBefore(slow, "each minute", () -> {
			assertThat(output).contains("for lock 'the last'");
			assertThat(output.toString().split("for lock 'each minute'", -1)).hasSize(2);
		});
		twoWaitSlowlyBefore(slow.withPropertyValues("zk-lock.slow-wait-interval=0s"), "each call",
				() -> assertThat(output.toString().split("for lock 'each call'", -1)).hasSize(3));
	}

	// Another client holds the keys: to acquire them may itself be slow.
	private void twoWaitSlowlyBefore(ApplicationContextRunner slow, String key, ThrowingRunnable warned) {
		this.runner.run((other) -> slow.run((context) -> {
			LockHandle held = other.getBean(LockClient.class).acquire(LockRequest.exclusive(key));
			LockHandle last = other.getBean(LockClient.class).acquire(LockRequest.exclusive("the last"));
			LockClient client = context.getBean(LockClient.class);
			List<CompletableFuture<Void>> waiting = new ArrayList<>();
			for (String each : List.of(key, key, "the last")) {
				waiting.add(client.acquireAsync(LockRequest.exclusive(each)).thenAccept(LockHandle::release));
			}
			Awaitility.await().untilAsserted(warned);
			held.release();
			last.release();
			CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).join();
		}));
	}

	@Test
	void aRequestHasAsManyKeysAsThePropertyAllows() {
		this.runner.withPropertyValues("zk-lock.max-keys-per-request=2").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			client.acquire(LockRequest.keys(List.of("one", "two"))).release();
			assertThatIllegalArgumentException()
				.isThrownBy(() -> client.acquire(LockRequest.keys(List.of("one", "two", "three"))))
				.withMessage("A lock request may have at most 2 keys, but this one has 3 "
						+ "(zk-lock.max-keys-per-request, maxKeysPerRequest)");
		});
	}

	@Test
	void asManyLocksAreRetainedAsThePropertyAllows() {
		this.runner.withPropertyValues("zk-lock.retain=1m", "zk-lock.max-retained=1").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			assertThat(tokensOfTwoCalls(client)).isEqualTo(1);
			LockHandle first = client.acquire(LockRequest.exclusive("retained"));
			first.releaseAsync().join();
			client.acquire(LockRequest.exclusive("retained too")).releaseAsync().join();
			try (LockHandle second = client.acquire(LockRequest.exclusive("retained"))) {
				assertThat(second.fencingToken() - first.fencingToken()).isGreaterThanOrEqualTo(Grant.TOKENS);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "zk-lock.max-keys-per-request=0", "zk-lock.max-retained=0", "zk-lock.max-waiting-events=0",
			"zk-lock.slow-wait-interval=-1s", "zk-lock.slow-wait-interval=40000d",
			"zk-lock.handoff.min-duration=-1ms" })
	void aBoundThatIsNoneIsRefused(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((cause) -> assertThat(cause.toString() + context.getStartupFailure().getCause())
					.contains(property.substring(0, property.indexOf('=')))));
	}

	@ParameterizedTest
	@CsvSource({ "false,zk-lock.timeout=-1s", "true,zk-lock.timeout=-1s", "false,zk-lock.strategy=none",
			"true,zk-lock.strategy=none", "false,zk-lock.root=none" })
	void propertiesAreCheckedAtStartAlsoWhereBeansAreLazy(String inMemory, String property) {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("zk-lock.in-memory=" + inMemory, "zk-lock.warm-up=false", property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((cause) -> assertThat(cause.toString() + context.getStartupFailure().getCause())
					.contains(property.substring(0, property.indexOf('=')))));
	}

	@Test
	void aBeanOfAnotherTypeWithTheNameOfTheClientIsNamed() {
		this.runner.withBean("lockClient", StringBuilder.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(BeanDefinitionOverrideException.class)
				.hasMessageContaining("lockClient"));
	}

	@Test
	void callbacksHaveAsManyThreadsAsThePropertySays() {
		this.runner.withPropertyValues("zk-lock.max-callback-threads=1").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			CountDownLatch busy = new CountDownLatch(1);
			CountDownLatch goOn = new CountDownLatch(1);
			LockHandle held = client.acquire(LockRequest.exclusive("one"));
			CompletableFuture<Void> first = client.acquireAsync(LockRequest.exclusive("one")).thenAccept((handle) -> {
				busy.countDown();
				awaitQuietly(goOn);
				handle.release();
			});
			held.release();
			assertThat(busy.await(10, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<LockHandle> second = client.acquireAsync(LockRequest.exclusive("two"));
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> !second.isDone());
			goOn.countDown();
			first.join();
			second.join().release();
		});
	}

	@Test
	void thereMustBeACallbackThread() {
		this.runner.withPropertyValues("zk-lock.max-callback-threads=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((cause) -> assertThat(cause.toString() + context.getStartupFailure().getCause())
					.contains("zk-lock.max-callback-threads")));
	}

	@ParameterizedTest
	@ExtendWith(OutputCaptureExtension.class)
	@ValueSource(strings = { "zk-lock.in-memory=false", "zk-lock.in-memory=true" })
	void asManyEventsWaitBehindAListenerAsThePropertyAllows(String where, CapturedOutput output) {
		List<String> asked = new CopyOnWriteArrayList<>();
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.runner.withPropertyValues(where, "zk-lock.warm-up=false", "zk-lock.max-waiting-events=1")
			.withBean(LockListener.class, () -> new LockListener() {
				@Override
				public void asked(Event event) {
					asked.addAll(event.keys());
				}

				@Override
				public void acquired(Event event) {
					busy.countDown();
					awaitQuietly(goOn);
				}
			})
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				LockHandle first = client.acquire(LockRequest.exclusive("one"));
				assertThat(busy.await(10, TimeUnit.SECONDS)).isTrue();
				first.release();
				Awaitility.await().untilAsserted(() -> {
					client.acquire(LockRequest.exclusive("two")).release();
					assertThat(output).contains("1 events of locks wait").contains("(zk-lock.max-waiting-events,");
				});
				client.acquire(LockRequest.exclusive("three")).release();
				goOn.countDown();
				assertThat(asked).contains("one").doesNotContain("three");
			});
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void listenersAreNotifiedOfLocks() {
		List<LockListener.Event> heard = new CopyOnWriteArrayList<>();
		this.runner.withBean(LockListener.class, () -> new LockListener() {
			@Override
			public void acquired(Event event) {
				heard.add(event);
			}
		}).run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("heard")).release();
			Awaitility.await().untilAsserted(() -> assertThat(heard).hasSize(1));
			assertThat(heard.get(0).keys()).containsExactly("heard");
		});
	}

	@Test
	void badPropertyValuesAreRefused() {
		Map<String, String> bad = Map.of("zk-lock.session-timeout", "0s", "zk-lock.connection-timeout", "-1s",
				"zk-lock.retry.base-sleep", "0", "zk-lock.retry.max-sleep", "30d", "zk-lock.timeout", "-1s",
				"zk-lock.root", "no-slash", "zk-lock.retain", "-1ms", "zk-lock.handoff.max-count", "-1",
				"zk-lock.handoff.max-duration", "-1ms", "zk-lock.slow-wait", "-1s");
		bad.forEach((property, value) -> this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((cause) -> assertThat(cause.toString() + context.getStartupFailure().getCause())
					.contains(property))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zk-lock.session-timeout=1500us", "zk-lock.retry.base-sleep=1us" })
	void partsOfAMillisecondAreRefusedWhereTheConnectionHasNone(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll(property.substring(0, property.indexOf('=')), "whole milliseconds"));
	}

	@Test
	void startsWithoutServerWhenNotFailingFast() {
		this.unconnected.withPropertyValues("zk-lock.connect-string=127.0.0.1:1", "zk-lock.fail-fast=false")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockClient.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OrderedCustomizers {

		@Bean
		@Order(2)
		ZkLockCuratorCustomizer last() {
			return (builder) -> builder.namespace("last");
		}

		@Bean
		@Order(1)
		ZkLockCuratorCustomizer first() {
			return (builder) -> builder.namespace("first");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnStrategy {

		@Bean
		LockStrategy ownLockStrategy(LockSessions sessions) {
			return new SequentialLockStrategy(sessions);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnWriter {

		@Bean
		FencedWriter ownWriter(ZooKeeperLockClient client) {
			return new FencedWriter(client);
		}

	}

	static final class RecordingStrategy implements LockStrategy {

		private final List<LockAttempt> entries = new CopyOnWriteArrayList<>();

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			this.entries.add(attempt);
			listener.blocked(new Blocker(attempt.keys().get(0), "somebody", true, null));
			return () -> CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

	}

}
