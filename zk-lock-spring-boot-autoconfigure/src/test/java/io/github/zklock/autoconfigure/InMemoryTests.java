package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.autoconfigure.metrics.ZkLockMetricsAutoConfiguration;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.memory.MemoryLockClient;
import io.github.zklock.metrics.LockMetrics;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.zookeeper.LockSessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of an application without any server.
 */
@ExtendWith(OutputCaptureExtension.class)
class InMemoryTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + InMemoryTests.class.getName());

	@Test
	void noServerIsNeededAndTheLogSaysSo(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context).hasSingleBean(LockClient.class).hasSingleBean(MemoryLockClient.class);
			assertThat(context).doesNotHaveBean(CuratorFramework.class).doesNotHaveBean(LockSessions.class);
			assertThat(output).containsOnlyOnce("Locks are in memory and exclude nobody outside this process");
		});
	}

	@Test
	void aRandomRootGivesEachContextLocksOfItsOwn() throws InterruptedException {
		SpringApplication application = new SpringApplication(ZkLockAutoConfiguration.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		String[] properties = { "--zk-lock.in-memory=true", "--zk-lock.root=/test-${random.uuid}" };
		try (ConfigurableApplicationContext one = application.run(properties);
				ConfigurableApplicationContext two = application.run(properties);
				LockHandle ofOne = one.getBean(LockClient.class).acquire(LockRequest.exclusive("k"));
				LockHandle ofTwo = two.getBean(LockClient.class)
					.acquire(LockRequest.exclusive("k").timeout(Duration.ZERO))) {
			assertThat(ofOne.isHeld()).isTrue();
			assertThat(ofTwo.isHeld()).isTrue();
		}
	}

	@Test
	void thereIsAnInspector() {
		this.runner.run((context) -> {
			try (LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				assertThat(context.getBean(LockInspector.class).line("k").contenders()).hasSize(1);
				assertThat(held.isHeld()).isTrue();
			}
		});
		LockInspector own = MemoryLockClient.builder().build().inspector();
		this.runner.withBean(LockInspector.class, () -> own)
			.run((context) -> assertThat(context.getBean(LockInspector.class)).isSameAs(own));
	}

	@Test
	void whatWasBuiltAheadOfTimeForMemoryDoesNotStartWithoutIt() {
		new ApplicationContextRunner().withUserConfiguration(Unconditional.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("was built ahead of time with zk-lock.in-memory=true"));
	}

	@Test
	void strategiesHaveTheNamesThatTheyHaveOnServers() {
		this.runner.withPropertyValues("zk-lock.strategy=naiveLockStrategy").run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockClient.class)
				.acquire(LockRequest.exclusive("orders").strategy("sequentialLockStrategy"))
				.release();
		});
	}

	@Test
	void locksAreMeasured() {
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockMetricsAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("orders")).release();
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				// Listeners are notified on a thread of their own
				await().ignoreExceptions()
					.untilAsserted(
							() -> assertThat(meters.get("zk.lock.acquire").tag("outcome", "acquired").timer().count())
								.isOne());
				assertThat(meters.get("zk.lock.engine.failures").functionCounter().count()).isZero();
			});
	}

	@Test
	void severalSessionsAreNotMeasuredAsOne() {
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockMetricsAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withBean("one", MemoryLockClient.class, () -> MemoryLockClient.builder().build())
			.withBean("another", MemoryLockClient.class, () -> MemoryLockClient.builder().build())
			.run((context) -> assertThat(context).getFailure().isInstanceOf(NoUniqueBeanDefinitionException.class));
	}

	@Test
	void severalSessionsAreTheUsersWhoMeasuresThem() {
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockMetricsAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withBean("one", MemoryLockClient.class, () -> MemoryLockClient.builder().build())
			.withBean("another", MemoryLockClient.class, () -> MemoryLockClient.builder().build())
			.withBean(LockMetrics.class,
					() -> new LockMetrics(new SimpleMeterRegistry(), MemoryLockClient.builder().build()))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aLazyClientIsNotMadeToBeMeasured() {
		AtomicInteger made = new AtomicInteger();
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockMetricsAutoConfiguration.class))
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean(SimpleMeterRegistry.class)
			.withBean(MemoryLockClient.class, () -> {
				made.incrementAndGet();
				return MemoryLockClient.builder().build();
			})
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(made).hasValue(0);
				assertThat(context.getBean(LockMetrics.class)).isNotNull();
				assertThat(
						context.getBean(MeterRegistry.class).get("zk.lock.engine.failures").functionCounter().count())
					.isZero();
				assertThat(made).hasValue(1);
			});
	}

	@Test
	void metersThatOutliveTheContextMakeNothing() {
		AtomicInteger made = new AtomicInteger();
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		List<LockMetrics> kept = new ArrayList<>();
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockMetricsAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class, () -> registry, (definition) -> definition.setDestroyMethodName(""))
			.withBean(MemoryLockClient.class, () -> {
				made.incrementAndGet();
				return MemoryLockClient.builder().build();
			})
			.run((context) -> kept.add(context.getBean(LockMetrics.class)));
		assertThat(registry.get("zk.lock.engine.failures").functionCounter().count()).isZero();
		assertThat(made).hasValue(1);
		assertThat(kept).hasSize(1);
	}

	@Test
	void annotatedMethodsAreLocked() {
		this.runner.withUserConfiguration(Orders.class)
			.run((context) -> assertThat(context.getBean(OrderService.class).place()).isEqualTo("orders"));
	}

	@Test
	void theHandleOfAnAnnotatedMethodKnowsWhoWaits() {
		this.runner.withUserConfiguration(Orders.class).run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
			context.getBean(OrderService.class).place((handle) -> {
				CompletableFuture<Object> contended = new CompletableFuture<>();
				handle.onContended(contended::complete);
				waiting.add(client.acquireAsync(LockRequest.exclusive("orders")));
				assertThat(contended).succeedsWithin(Duration.ofSeconds(10));
			});
			assertThat(waiting.get(0)).succeedsWithin(Duration.ofSeconds(10)).satisfies(LockHandle::release);
		});
	}

	@Test
	void twoContextsOfOneProcessExcludeEachOther() {
		this.runner.run((one) -> this.runner.withPropertyValues("zk-lock.timeout=20ms").run((two) -> {
			try (LockHandle handle = one.getBean(LockClient.class).acquire(LockRequest.exclusive("orders"))) {
				LockClient other = two.getBean(LockClient.class);
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> other.acquire(LockRequest.exclusive("orders")));
				assertThat(handle.isHeld()).isTrue();
			}
		}));
	}

	@Test
	void contextsWithKeyPrefixesOfTheirOwnDoNotExcludeEachOther() {
		this.runner.withPropertyValues("zk-lock.key-prefix=billing:")
			.run((one) -> this.runner.withPropertyValues("zk-lock.key-prefix=shop:").run((two) -> {
				LockRequest request = LockRequest.exclusive("orders").timeout(Duration.ZERO);
				try (LockHandle handle = one.getBean(LockClient.class).acquire(request);
						LockHandle other = two.getBean(LockClient.class).acquire(request)) {
					assertThat(handle.isHeld()).isTrue();
					assertThat(other.key()).isEqualTo("orders");
				}
			}));
	}

	@Test
	void theTimeoutOfAKeyApplies() {
		this.runner.withPropertyValues("zk-lock.keys[orders].timeout=20ms").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			try (LockHandle handle = client.acquire(LockRequest.exclusive("orders").owner("another"))) {
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(LockRequest.exclusive("orders")))
					.withMessageContaining("within 20ms");
				assertThat(handle.isHeld()).isTrue();
			}
		});
	}

	@Test
	void fewKeysAreHeldAtATimeWhereThatIsBounded() {
		this.runner.withPropertyValues("zk-lock.keys[jobs/*].max-held=1").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			LockRequest second = LockRequest.exclusive("jobs/2").timeout(Duration.ZERO);
			try (LockHandle handle = client.acquire(LockRequest.exclusive("jobs/1").owner("another"))) {
				assertThat(client.tryAcquire(second)).isEmpty();
				assertThat(handle.isHeld()).isTrue();
			}
			client.acquire(second).release();
		});
	}

	@Test
	void theBoundsOfThePropertiesApply(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.max-keys-per-request=2", "zk-lock.slow-wait=20ms").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			assertThatIllegalArgumentException()
				.isThrownBy(() -> client.acquire(LockRequest.keys(List.of("one", "two", "three"))))
				.withMessageContaining("zk-lock.max-keys-per-request");
			LockHandle held = client.acquire(LockRequest.exclusive("slow"));
			CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive("slow"));
			await().untilAsserted(() -> assertThat(output).contains("has waited 20ms for lock 'slow'"));
			held.release();
			waiting.join().release();
		});
	}

	@Test
	void patternsThatContradictEachOtherAreRefused() {
		this.runner.withPropertyValues("zk-lock.keys[a*].max-held=2", "zk-lock.keys[*b].max-held=3")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("The properties zk-lock.keys contradict each other"));
	}

	@Test
	void strategiesOfOnesOwnAreServedWithoutBeingMade() {
		this.runner.withUserConfiguration(OwnStrategy.class).run((context) -> {
			LockRequest request = LockRequest.exclusive("orders").strategy("patient").timeout(Duration.ZERO);
			assertThat(context.getBean(LockClient.class).tryAcquire(request)).hasValueSatisfying(LockHandle::release);
		});
	}

	@Test
	void anUnknownStrategyIsRefused() {
		this.runner.withPropertyValues("zk-lock.strategy=chaotic")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("chaotic"));
	}

	@Test
	void anUnknownStrategyOfAMethodIsRefused() {
		this.runner.withBean(Chaotic.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("strategy = \"chaotic\" names no lock strategy"));
	}

	@Test
	void theUsersClientWins() {
		this.runner.withBean("mine", LockClient.class, () -> MemoryLockClient.builder().root("/mine").build())
			.run((context) -> assertThat(context).hasSingleBean(LockClient.class).hasBean("mine"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Orders {

		@Bean
		OrderService orderService() {
			return new OrderService();
		}

	}

	static class OrderService {

		@DistributedLock(key = "'orders'")
		public String place() {
			return LockContext.current().key();
		}

		@DistributedLock(key = "'orders'")
		public void place(Consumer<LockHandle> work) {
			work.accept(LockContext.current());
		}

	}

	static class Chaotic {

		@DistributedLock(strategy = "chaotic")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnStrategy {

		@Bean
		@Lazy
		LockStrategy patientLockStrategy(LockSessions sessions) {
			throw new AssertionError("Made although there is no server, in state " + sessions.state());
		}

	}

	/** As the build leaves it, without its condition. */
	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ZkLockProperties.class)
	static class Unconditional {

		@Bean(destroyMethod = "close")
		MemoryLockClient lockClient(ZkLockProperties properties, Environment environment,
				ListableBeanFactory beanFactory, ObjectProvider<LockListener> listeners) {
			return new MemoryConfiguration().lockClient(properties, environment, beanFactory, listeners);
		}

	}

}
