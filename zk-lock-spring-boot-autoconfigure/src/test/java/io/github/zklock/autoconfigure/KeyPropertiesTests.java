package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import io.github.zklock.DistributedLock;
import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyPropertiesTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=" + server.connectString());

	/**
	 * A naive lock is one ephemeral node; a sequential one stands below a place.
	 */
	private static String strategyOf(ApplicationContext context, String keyNode) throws Exception {
		Stat stat = context.getBean(CuratorFramework.class).checkExists().forPath("/zk-lock/" + keyNode);
		assertThat(stat).isNotNull();
		return (stat.getNumChildren() > 0) ? "sequential" : "naive";
	}

	private static String strategyOf(ApplicationContext context, LockRequest request, String keyNode) throws Exception {
		try (LockHandle handle = context.getBean(LockClient.class).acquire(request)) {
			assertThat(handle.isHeld()).isTrue();
			return strategyOf(context, keyNode);
		}
	}

	@Test
	void theStrategyOfAPatternAlsoAppliesToRequestsThatNameAnother() {
		this.runner
			.withPropertyValues("zk-lock.keys[orders/*].strategy=sequential", "zk-lock.keys[jobs].strategy=naive")
			.run((context) -> {
				LockRequest hot = LockRequest.exclusive("orders/42").strategy("naive");
				assertThat(strategyOf(context, hot, "orders%2F42")).isEqualTo("sequential");
				assertThat(strategyOf(context, LockRequest.exclusive("jobs"), "jobs")).isEqualTo("naive");
				assertThat(strategyOf(context, LockRequest.exclusive("jobs/1"), "jobs%2F1")).isEqualTo("sequential");
				assertThat(strategyOf(context, LockRequest.exclusive("other").strategy("naive"), "other"))
					.isEqualTo("naive");
			});
	}

	@Test
	void anAnnotatedMethodIsSwitchedWithoutARelease() {
		this.runner.withBean(Hot.class)
			.run((context) -> assertThat(context.getBean(Hot.class).strategy(context)).isEqualTo("naive"));
		this.runner.withBean(Hot.class)
			.withPropertyValues("zk-lock.keys[hot].strategy=sequential")
			.run((context) -> assertThat(context.getBean(Hot.class).strategy(context)).isEqualTo("sequential"));
	}

	@Test
	void severalKeysHaveTheStrategyOfTheFirstThatAPatternNames() {
		this.runner.withPropertyValues("zk-lock.keys[two].strategy=naive").run((context) -> {
			assertThat(strategyOf(context, LockRequest.keys(List.of("one", "two")), "one")).isEqualTo("naive");
			assertThat(strategyOf(context, LockRequest.keys(List.of("one", "three")), "one")).isEqualTo("sequential");
		});
	}

	@Test
	void theTimeoutOfAPatternIsForRequestsThatNameNone() {
		this.runner.withPropertyValues("zk-lock.keys[busy*].timeout=150ms").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			try (LockHandle held = client.acquire(LockRequest.exclusive("busy/1").owner("another"))) {
				assertThat(held.isHeld()).isTrue();
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(LockRequest.exclusive("busy/1")))
					.withMessageContaining("within 150ms");
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(LockRequest.exclusive("busy/1").timeout(Duration.ofMillis(180))))
					.withMessageContaining("within 180ms");
				assertThat(client.asLock("busy/1").tryLock()).isFalse();
			}
		});
	}

	@Test
	void aRequestThatNamesAnUnknownStrategyIsRefusedAllTheSame() {
		this.runner.withPropertyValues("zk-lock.keys[k].strategy=naive")
			.run((context) -> assertThatIllegalArgumentException()
				.isThrownBy(
						() -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k").strategy("nave")))
				.withMessageContaining("nave"));
	}

	@Test
	void handoffAndRetainAreSetForAPattern() {
		this.runner
			.withPropertyValues("zk-lock.retain=1s", "zk-lock.handoff.max-count=7", "zk-lock.keys[a*].retain=2s",
					"zk-lock.keys[a/1].handoff.max-count=3", "zk-lock.keys[a/1].handoff.min-duration=2ms",
					"zk-lock.keys[a/1].handoff.max-duration=30ms")
			.run((context) -> {
				assertThat(ZkLockAutoConfigurationTests.handoff(context, "b"))
					.isEqualTo(new Handoff(7, Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofSeconds(1)));
				assertThat(ZkLockAutoConfigurationTests.handoff(context, "a/2"))
					.isEqualTo(new Handoff(7, Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofSeconds(2)));
				assertThat(ZkLockAutoConfigurationTests.handoff(context, "a/1"))
					.isEqualTo(new Handoff(3, Duration.ofMillis(2), Duration.ofMillis(30), Duration.ofSeconds(2)));
			});
	}

	@Test
	void aLockIsRetainedOnlyWhereThatIsWanted() {
		this.runner.withPropertyValues("zk-lock.keys[kept*].retain=1m").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			client.acquire(LockRequest.exclusive("kept/1")).releaseAsync().join();
			client.acquire(LockRequest.exclusive("given-up")).releaseAsync().join();
			assertThat(strategyOf(context, "kept%2F1")).isEqualTo("sequential");
			assertThat(context.getBean(CuratorFramework.class).checkExists().forPath("/zk-lock/given-up")).isNull();
		});
	}

	@Test
	void aRetainedLockHasNoShareOfMaxHeldUntilItIsTakenAgain() {
		this.runner.withPropertyValues("zk-lock.keys[jobs/*].max-held=1", "zk-lock.keys[jobs/*].retain=1m")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				LockRequest first = LockRequest.exclusive("jobs/1").timeout(Duration.ZERO);
				client.acquire(LockRequest.exclusive("jobs/1")).release();
				try (LockHandle other = client.acquire(LockRequest.exclusive("jobs/2").owner("other"))) {
					assertThat(strategyOf(context, "jobs%2F1")).isEqualTo("sequential");
					assertThat(client.tryAcquire(first)).isEmpty();
					assertThat(other.isHeld()).isTrue();
				}
				client.acquire(first).release();
			});
	}

	@Test
	void patternsAreWrittenInBracketsInYaml() throws IOException {
		String yaml = """
				zk-lock:
				  keys:
				    "[orders/*]":
				      strategy: naive
				      handoff:
				        max-count: 3
				""";
		PropertySource<?> source = new YamlPropertySourceLoader()
			.load("yaml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
			.get(0);
		this.runner.withInitializer((context) -> context.getEnvironment().getPropertySources().addLast(source))
			.run((context) -> {
				Map<String, ZkLockKeyProperties> keys = context.getBean(ZkLockProperties.class).getKeys();
				assertThat(keys).containsOnlyKeys("orders/*");
				assertThat(keys.get("orders/*").getHandoff().getMaxCount()).isEqualTo(3);
				assertThat(strategyOf(context, LockRequest.exclusive("orders/1"), "orders%2F1")).isEqualTo("naive");
			});
	}

	@ParameterizedTest
	@CsvSource({ "strategy,nave", "timeout,-1s", "retain,-1s", "handoff.max-count,-1", "handoff.min-duration,-1s",
			"handoff.max-duration,-1s", "max-held,0", "max-held,-1" })
	void badValuesAreRefused(String property, String value) {
		String name = "zk-lock.keys[orders/*]." + property;
		this.runner.withPropertyValues(name + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((cause) -> assertThat(cause.toString() + context.getStartupFailure().getCause())
					.contains(name)));
	}

	static class Hot {

		@DistributedLock(key = "hot", strategy = "naive")
		public String strategy(ApplicationContext context) throws Exception {
			return strategyOf(context, "hot");
		}

	}

}
