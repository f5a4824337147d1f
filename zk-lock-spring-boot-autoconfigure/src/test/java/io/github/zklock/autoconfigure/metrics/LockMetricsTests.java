package io.github.zklock.autoconfigure.metrics;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.autoconfigure.ZkLockAopAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.autoconfigure.observation.ZkLockObservationAutoConfiguration;
import io.github.zklock.metrics.LockMeterDocumentation;
import io.github.zklock.metrics.LockMetrics;
import io.github.zklock.spring.GrantedEvent;
import io.github.zklock.testing.Residue;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is measured in an application, on a real server.
 */
class LockMetricsTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final ApplicationContextRunner withoutRegistry = new ApplicationContextRunner()
		.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.timeout=20s")
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class,
				ZkLockMetricsAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.withoutRegistry.withBean(SimpleMeterRegistry.class)
		.withConfiguration(
				AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	private static LockClient client(ApplicationContext context) {
		return context.getBean(LockClient.class);
	}

	private static void eventually(ApplicationContext context, String meter, double value, String... tags) {
		MeterRegistry registry = context.getBean(MeterRegistry.class);
		Awaitility.await().ignoreExceptions().untilAsserted(() -> {
			Meter found = registry.get(meter).tags(tags).meter();
			assertThat(found.measure().iterator().next().getValue()).as(meter).isEqualTo(value);
		});
	}

	@Test
	void anEventOfAKeyThatHasItsMetersTakesFewBytes() {
		LockMetrics metrics = new LockMetrics(new SimpleMeterRegistry(), () -> {
			throw new AssertionError("Nobody reads a meter");
		});
		LockListener.Event event = new LockListener.Event(1, List.of("order-42"), "order-{id}", LockMode.EXCLUSIVE,
				"sequential", null, Duration.ZERO);
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long fewest = Long.MAX_VALUE;
		// What is linked, and the meters that are made, by the first events do not count
		for (int i = 0; i < 3; i++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int n = 0; n < 1_000; n++) {
				metrics.asked(event);
			}
			fewest = Math.min(fewest, threads.getCurrentThreadAllocatedBytes() - before);
		}
		assertThat(fewest / 1_000).isLessThan(140);
	}

	@Test
	void leadersAndTheirTermsAreCounted() {
		this.runner.withPropertyValues("zk-lock.leader.names=billing").run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			LeaderElection election = context.getBean(LeaderElection.class);
			assertThat(registry.get("zk.lock.leader").tag("election", "billing").gauge().value()).isZero();
			assertThat(registry.get("zk.lock.leader.terms").tag("election", "billing").counter().count()).isZero();
			election.stand();
			for (int term = 1; term <= 3; term++) {
				int expected = term;
				Awaitility.await()
					.untilAsserted(() -> assertThat(registry.get("zk.lock.leader.terms").counter().count())
						.isEqualTo(expected));
				assertThat(registry.get("zk.lock.leader").gauge().value()).isOne();
				election.yield();
			}
			election.withdraw().join();
			assertThat(registry.get("zk.lock.leader").gauge().value()).isZero();
			assertThat(registry.get("zk.lock.leader").gauge().getId().getDescription())
				.isEqualTo(LockMeterDocumentation.LEADER.getDescription());
			assertThat(registry.get("zk.lock.leader.terms").counter().getId().getDescription())
				.isEqualTo(LockMeterDocumentation.LEADER_TERMS.getDescription());
		});
	}

	@Test
	void termsOfAnElectionOfAChildContextAreCountedOnce() {
		this.runner.run((parent) -> this.withoutRegistry.withParent(parent)
			.withPropertyValues("zk-lock.leader.names=of-a-child")
			.run((context) -> {
				assertThat(context.getBeansOfType(LeaderMeters.class)).hasSize(1);
				assertThat(parent.getBeansOfType(LeaderMeters.class)).hasSize(1);
				LeaderElection election = context.getBean(LeaderElection.class);
				context.publishEvent(new GrantedEvent(election, 7));
				assertThat(parent.getBean(MeterRegistry.class)
					.get("zk.lock.leader.terms")
					.tag("election", "of-a-child")
					.counter()
					.count()).isOne();
			}));
	}

	@Test
	void termsOfAnElectionOfTheUsersAreCountedWhenTheyArePublished() {
		LeaderElection own = LeaderElection.of(new InMemoryLockClient(), "own", new LeaderElection.Listener() {
		});
		this.runner.withBean("own", LeaderElection.class, () -> own).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("zk.lock.leader").tag("election", "own").gauge().value()).isZero();
			assertThat(registry.find("zk.lock.leader.terms").meters()).isEmpty();
			context.publishEvent(new GrantedEvent(own, 7));
			assertThat(registry.get("zk.lock.leader.terms").tag("election", "own").counter().count()).isOne();
		});
	}

	@Test
	void aLockedMethodIsTimedUnderItsKeyExpression() {
		this.runner.withBean(Shop.class).run((context) -> {
			context.getBean(Shop.class).order("42");
			context.getBean(Shop.class).order("43");
			String[] tags = { "key", "orders/#{#id}", "strategy", "sequential", "mode", "EXCLUSIVE" };
			eventually(context, "zk.lock.acquire", 2,
					Stream.concat(Stream.of(tags), Stream.of("outcome", "acquired")).toArray(String[]::new));
			eventually(context, "zk.lock.held", 2, tags);
			eventually(context, "zk.lock.holders", 0, tags);
			eventually(context, "zk.lock.waiters", 0, tags);
		});
	}

	@Test
	void noTagHasAResolvedKey() {
		this.runner.withBean(Shop.class).run((context) -> {
			context.getBean(Shop.class).order("secret-42");
			client(context).acquire(LockRequest.exclusive("secret-43")).release();
			eventually(context, "zk.lock.held", 1, "key", "none");
			eventually(context, "zk.lock.held", 1, "key", "orders/#{#id}");
			List<String> values = context.getBean(MeterRegistry.class)
				.getMeters()
				.stream()
				.flatMap((meter) -> meter.getId().getTags().stream())
				.map(Tag::getValue)
				.toList();
			assertThat(values).isNotEmpty().noneMatch((value) -> value.contains("secret"));
		});
	}

	@Test
	void holdersAndWaitersAreCountedWhileTheyAreThere() {
		this.runner.run((context) -> {
			LockHandle held = client(context).acquire(LockRequest.exclusive("k").template("t"));
			CompletableFuture<LockHandle> waiting = client(context)
				.acquireAsync(LockRequest.exclusive("k").template("t"));
			eventually(context, "zk.lock.holders", 1, "key", "t");
			eventually(context, "zk.lock.waiters", 1, "key", "t");
			held.release();
			waiting.join().release();
			eventually(context, "zk.lock.holders", 0, "key", "t");
			eventually(context, "zk.lock.waiters", 0, "key", "t");
			eventually(context, "zk.lock.handed.over", 1, "key", "t");
		});
	}

	@Test
	void clientsOfTwoContextsWithOneRegistryAreCountedTogether() {
		new ApplicationContextRunner().withBean(SimpleMeterRegistry.class).run((parent) -> {
			ApplicationContextRunner child = this.withoutRegistry.withParent(parent);
			LockRequest request = LockRequest.read("both").template("both");
			child.run((first) -> {
				LockHandle one = client(first).acquire(request);
				child.run((second) -> {
					LockHandle two = client(second).acquire(request);
					eventually(parent, "zk.lock.holders", 2, "key", "both");
					two.release();
					eventually(parent, "zk.lock.holders", 1, "key", "both");
				});
				one.release();
				eventually(parent, "zk.lock.holders", 0, "key", "both");
			});
			child.run((later) -> {
				LockHandle third = client(later).acquire(request);
				eventually(parent, "zk.lock.holders", 1, "key", "both");
				third.release();
				eventually(parent, "zk.lock.held", 3, "key", "both");
			});
		});
	}

	@Test
	void electionsOfTwoContextsWithOneRegistryAreCountedTogether() {
		new ApplicationContextRunner().withBean(SimpleMeterRegistry.class).run((parent) -> {
			ApplicationContextRunner child = this.withoutRegistry.withParent(parent)
				.withPropertyValues("zk-lock.leader.names=shared");
			child.run((first) -> {
				first.getBean(LeaderElection.class).stand();
				eventually(parent, "zk.lock.leader", 1, "election", "shared");
				child.run((second) -> {
					second.getBean(LeaderElection.class).stand();
					first.getBean(LeaderElection.class).withdraw().join();
					eventually(parent, "zk.lock.leader", 1, "election", "shared");
				});
				eventually(parent, "zk.lock.leader", 0, "election", "shared");
			});
		});
	}

	@Test
	void anElectionThatAChildContextSeesTooIsOneLeader() {
		this.runner.withPropertyValues("zk-lock.leader.names=of-a-parent").run((parent) -> {
			parent.getBean(LeaderElection.class).stand();
			eventually(parent, "zk.lock.leader", 1);
			this.withoutRegistry.withParent(parent).run((child) -> {
				assertThat(child.getBeansOfType(LeaderMeters.class)).hasSize(1);
				assertThat(parent.getBean(MeterRegistry.class).get("zk.lock.leader").gauge().value()).isOne();
			});
		});
	}

	@Test
	void eachOutcomeIsReported() {
		this.runner.run((context) -> {
			LockHandle held = client(context).acquire(LockRequest.exclusive("o"));
			client(context).acquire(LockRequest.exclusive("o")).release();
			CompletableFuture
				.runAsync(() -> client(context).acquireAsync(LockRequest.exclusive("o").timeout(Duration.ofMillis(50)))
					.exceptionally((busy) -> null)
					.join())
				.join();
			client(context).acquireAsync(LockRequest.exclusive("o")).cancel(true);
			for (String outcome : List.of("acquired", "reentered", "busy", "cancelled")) {
				eventually(context, "zk.lock.acquire", 1, "outcome", outcome);
			}
			client(context).acquireAsync(LockRequest.exclusive("o")).complete(null);
			client(context).acquireAsync(LockRequest.exclusive("o")).completeExceptionally(new TimeoutException());
			eventually(context, "zk.lock.acquire", 3, "outcome", "cancelled");
			eventually(context, "zk.lock.acquire", 0, "outcome", "unavailable");
			eventually(context, "zk.lock.acquire", 0, "outcome", "failed");
			held.release();
		});
	}

	@Test
	void callersThatAreInterruptedOrComeTooLateAreNoBusyOnes() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("i").template("i")));
			eventually(context, "zk.lock.acquire", 1, "key", "i", "outcome", "interrupted");
			context.getBean(ZooKeeperLockClient.class).close();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("u").template("u")));
			eventually(context, "zk.lock.acquire", 1, "key", "u", "outcome", "unavailable");
		});
	}

	@Test
	void aListenerThatThrowsKeepsNoTermFromBeingCounted() {
		this.runner.withPropertyValues("zk-lock.leader.names=billing")
			.withUserConfiguration(Throwing.class)
			.run((context) -> {
				GrantedEvent granted = new GrantedEvent(context.getBean(LeaderElection.class), 7);
				assertThatIllegalStateException().isThrownBy(() -> context.publishEvent(granted));
				eventually(context, "zk.lock.leader.terms", 1, "election", "billing");
			});
	}

	@Test
	void leadersAreMeasuredAlsoWhereBeansAreLazy() {
		this.runner.withPropertyValues("zk-lock.leader.names=billing")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> eventually(context, "zk.lock.leader", 0, "election", "billing"));
	}

	@Test
	void lostLocksAreCountedWithTheReason() {
		this.runner.run((context) -> {
			LockHandle held = client(context)
				.acquire(LockRequest.exclusive("l").strategy("naive").maxHold(Duration.ofMillis(20)));
			eventually(context, "zk.lock.lost", 1, "reason", "MAX_HOLD", "strategy", "naive");
			held.release();
			eventually(context, "zk.lock.held", 1, "strategy", "naive");
		});
	}

	@Test
	void failuresAndLossesOfAKeyAreZeroFromItsFirstUse() {
		this.runner.run((context) -> {
			client(context).acquire(LockRequest.exclusive("z").template("z")).release();
			for (String outcome : List.of("reentered", "busy", "unavailable", "interrupted", "cancelled", "failed")) {
				eventually(context, "zk.lock.acquire", 0, "key", "z", "outcome", outcome);
			}
			for (LostReason reason : LostReason.values()) {
				eventually(context, "zk.lock.lost", 0, "key", "z", "reason", reason.name());
			}
			eventually(context, "zk.lock.handed.over", 0, "key", "z");
			eventually(context, "zk.lock.held", 1, "key", "z");
		});
	}

	@Test
	void observationsGiveNoSecondFamilyOfTheSame() {
		this.runner.withUserConfiguration(ObservedMeters.class)
			.withConfiguration(AutoConfigurations.of(ZkLockObservationAutoConfiguration.class))
			.run((context) -> {
				LockHandle held = client(context).acquire(LockRequest.exclusive("d").maxHold(Duration.ofMillis(20)));
				eventually(context, "zk.lock.lost", 1, "reason", "MAX_HOLD");
				held.release();
				eventually(context, "zk.lock.held", 1);
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				Observation.start("zk.lock.order", context.getBean(ObservationRegistry.class)).stop();
				assertThat(registry.get("zk.lock.order").timer().count()).isOne();
				assertThat(registry.getMeters()).extracting((meter) -> meter.getId().getName())
					.doesNotContain("zk.lock.wait", "zk.lock.wait.active", "zk.lock.hold", "zk.lock.hold.active",
							"zk.lock.hold.lost");
			});
	}

	@Test
	void watchEventsAreCounted() {
		this.runner.run((context) -> {
			eventually(context, "zk.lock.watch.events", 0);
			eventually(context, "zk.lock.leftovers.removed", 0);
			eventually(context, "zk.lock.engine.failures", 0);
			String other = "/zk-lock/w/_c_00000000-0000-0000-0000-000000000000-lock-";
			CuratorFramework curator = context.getBean(CuratorFramework.class);
			String node = curator.create()
				.creatingParentContainersIfNeeded()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.forPath(other);
			CompletableFuture<LockHandle> waiting = client(context).acquireAsync(LockRequest.exclusive("w"));
			ZooKeeper connection = curator.getZookeeperClient().getZooKeeper();
			Awaitility.await()
				.until(() -> Residue.clientWatches(connection).stream().anyMatch((watch) -> watch.contains(node)));
			curator.delete().forPath(node);
			waiting.join().release();
			eventually(context, "zk.lock.watch.events", 1);
		});
	}

	@Test
	void everyMeterIsDocumentedWithItsTags() {
		this.runner.withBean(Shop.class).withPropertyValues("zk-lock.leader.names=billing").run((context) -> {
			LockHandle held = client(context).acquire(LockRequest.exclusive("d").maxHold(Duration.ofMillis(20)));
			CompletableFuture<LockHandle> next = client(context).acquireAsync(LockRequest.exclusive("d"));
			eventually(context, "zk.lock.lost", 1, "reason", "MAX_HOLD");
			held.release();
			LockHandle second = next.join();
			CompletableFuture<LockHandle> third = client(context).acquireAsync(LockRequest.exclusive("d"));
			second.release();
			third.join().release();
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			eventually(context, "zk.lock.handed.over", 1);
			eventually(context, "zk.lock.holders", 0);
			Set<String> found = registry.getMeters()
				.stream()
				.map(Meter::getId)
				.filter((id) -> id.getName().startsWith("zk.lock."))
				.map((id) -> "%s %s %s %s".formatted(id.getName(), id.getType(),
						id.getTags().stream().map(Tag::getKey).sorted().toList(), id.getDescription()))
				.collect(Collectors.toSet());
			assertThat(found).containsExactlyInAnyOrderElementsOf(Arrays.stream(LockMeterDocumentation.values())
				.map((meter) -> "%s %s %s %s".formatted(meter.getName(), meter.getType(),
						Arrays.stream(meter.getKeyNames()).map((key) -> key.asString()).sorted().toList(),
						meter.getDescription()))
				.toList());
		});
	}

	@Test
	void nothingIsMeasuredWithoutARegistry() {
		this.withoutRegistry.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(LockClient.class)
			.doesNotHaveBean(LockListener.class));
	}

	@Test
	void aClientOfTheUsersIsNotMeasured() {
		this.runner.withBean(LockClient.class, InMemoryLockClient::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class ObservedMeters {

		@Bean
		ObservationRegistry observationRegistry(MeterRegistry meters) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
			return registry;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Throwing {

		@Bean
		ApplicationListener<GrantedEvent> throwing() {
			return (event) -> {
				throw new IllegalStateException("of a listener");
			};
		}

	}

	static class Shop {

		@DistributedLock(key = "orders/#{#id}")
		public String order(String id) {
			return id;
		}

	}

}
