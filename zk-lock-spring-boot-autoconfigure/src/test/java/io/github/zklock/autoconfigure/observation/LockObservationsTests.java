package io.github.zklock.autoconfigure.observation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.autoconfigure.ZkLockAopAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.observation.LockObservations;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is observed in an application, on a real server.
 */
class LockObservationsTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final ApplicationContextRunner withoutRegistry = new ApplicationContextRunner()
		.withPropertyValues("zk-lock.connect-string=" + server.connectString())
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class,
				ZkLockObservationAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.withoutRegistry.withBean(ObservationRegistry.class,
			() -> this.registry);

	private TestObservationRegistryAssert observed() {
		return TestObservationRegistryAssert.assertThat(this.registry);
	}

	@Test
	void waitAndHoldOfALockedMethodAreChildrenOfWhatWasObserved() {
		this.runner.withBean(Shop.class).run((context) -> {
			Observation request = Observation.start("request", this.registry);
			try (Observation.Scope scope = request.openScope()) {
				context.getBean(Shop.class).order("secret-42");
			}
			request.stop();
			Awaitility.await().untilAsserted(() -> {
				observed().hasObservationWithNameEqualTo("zk.lock.wait")
					.that()
					.hasLowCardinalityKeyValue("key", "orders/#{#id}")
					.hasLowCardinalityKeyValue("strategy", "sequential")
					.hasLowCardinalityKeyValue("mode", "EXCLUSIVE")
					.hasLowCardinalityKeyValue("outcome", "acquired")
					.hasContextualNameEqualTo("wait for lock")
					.hasParentObservationEqualTo(request)
					.hasBeenStarted()
					.hasBeenStopped();
				observed().hasObservationWithNameEqualTo("zk.lock.hold")
					.that()
					.hasLowCardinalityKeyValue("key", "orders/#{#id}")
					.hasLowCardinalityKeyValue("outcome", "released")
					.hasContextualNameEqualTo("hold lock")
					.hasParentObservationEqualTo(request)
					.hasBeenStopped();
			});
			assertThat(this.registry.getCurrentObservation()).isNull();
		});
	}

	@Test
	void aHoldWhoseWaitIsNotObservedHasTheSameParent() {
		this.registry.observationConfig().observationPredicate((name, context) -> !name.equals("zk.lock.wait"));
		this.runner.withBean(Shop.class).run((context) -> {
			Observation request = Observation.start("request", this.registry);
			try (Observation.Scope scope = request.openScope()) {
				context.getBean(Shop.class).order("42");
			}
			request.stop();
			Awaitility.await()
				.untilAsserted(() -> observed().hasObservationWithNameEqualTo("zk.lock.hold")
					.that()
					.hasParentObservationEqualTo(request)
					.hasBeenStopped());
		});
	}

	@Test
	void noObservationHasAResolvedKey() {
		this.runner.withBean(Shop.class).run((context) -> {
			context.getBean(Shop.class).order("secret-42");
			Awaitility.await()
				.untilAsserted(() -> observed().hasObservationWithNameEqualTo("zk.lock.hold").that().hasBeenStopped());
			observed().hasHandledContextsThatSatisfy((contexts) -> assertThat(contexts).isNotEmpty()
				.allSatisfy((handled) -> assertThat(
						handled.getName() + handled.getContextualName() + handled.getAllKeyValues())
					.doesNotContain("secret")));
		});
	}

	@Test
	void aWaitInVainIsAnError() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			LockHandle held = client.acquire(LockRequest.exclusive("busy").template("first"));
			CompletableFuture<LockHandle> refused = client
				.acquireAsync(LockRequest.exclusive("busy").timeout(Duration.ofMillis(30)).template("second"));
			assertThat(refused).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockTimeoutException.class);
			Awaitility.await()
				.untilAsserted(() -> observed().hasAnObservation((each) -> each.hasNameEqualTo("zk.lock.wait")
					.hasLowCardinalityKeyValue("key", "second")
					.hasLowCardinalityKeyValue("outcome", "failed")
					.hasError()));
			held.release();
		});
	}

	@Test
	void whatRunsHasNoOutcomeYet() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			LockHandle held = client.acquire(LockRequest.exclusive("open").template("first"));
			CompletableFuture<LockHandle> waiting = client
				.acquireAsync(LockRequest.exclusive("open").template("second"));
			Awaitility.await()
				.untilAsserted(() -> observed()
					.hasAnObservation((each) -> each.hasNameEqualTo("zk.lock.hold")
						.hasLowCardinalityKeyValue("key", "first")
						.doesNotHaveLowCardinalityKeyValueWithKey("outcome"))
					.hasAnObservation((each) -> each.hasNameEqualTo("zk.lock.wait")
						.hasLowCardinalityKeyValue("key", "second")
						.doesNotHaveLowCardinalityKeyValueWithKey("outcome")));
			held.release();
			waiting.join().release();
		});
	}

	@Test
	void aLossIsAnEventOfTheHold() {
		this.runner.run((context) -> {
			LockHandle held = context.getBean(LockClient.class)
				.acquire(LockRequest.exclusive("lost").maxHold(Duration.ofMillis(20)));
			Awaitility.await()
				.untilAsserted(() -> observed().hasObservationWithNameEqualTo("zk.lock.hold")
					.that()
					.hasLowCardinalityKeyValue("outcome", "lost")
					.hasLowCardinalityKeyValue("key", "none")
					.hasEvent("lost"));
			held.release();
			Awaitility.await()
				.untilAsserted(() -> observed().hasObservationWithNameEqualTo("zk.lock.hold")
					.that()
					.hasBeenStopped()
					.hasLowCardinalityKeyValue("outcome", "lost"));
		});
	}

	@Test
	void observationsOfTheUsersAreNotDoubled() {
		this.runner.withBean("own", LockObservations.class, () -> new LockObservations(this.registry))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockObservations.class));
	}

	@Test
	void nothingIsObservedWithoutARegistry() {
		this.withoutRegistry.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(LockClient.class)
			.doesNotHaveBean(LockListener.class));
	}

	static class Shop {

		@DistributedLock(key = "orders/#{#id}")
		public String order(String id) {
			return id;
		}

	}

}
