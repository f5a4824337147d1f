package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How long a try waits for ZooKeeper, where it does not wait for others.
 */
@Timeout(60)
class AnswerTimeoutTests {

	private static final LockRequest TRY = LockRequest.exclusive("job").timeout(Duration.ZERO);

	private static final LockRequest PATIENT = TRY.answerTimeout(Actor.PATIENCE);

	private static final LockRequest FOR_HOURS = TRY.answerTimeout(Duration.ofHours(1));

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockClient client;

	@BeforeEach
	void open() throws Exception {
		this.client = this.zk.client().session(Duration.ofSeconds(8)).open();
		this.client.acquire(LockRequest.exclusive("connected")).release();
	}

	@Test
	@Tag("slow")
	void itIsAnsweredRightAfterTheConnectionOfAnIdleClientWasLost() throws Exception {
		LockClient idle = this.zk.client().session(Duration.ofSeconds(4)).open();
		idle.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		SessionSource source = ((ZooKeeperLockClient) idle).parts().source();
		await().atMost(Actor.PATIENCE).until(() -> !Objects.requireNonNull(source.current()).isConfirmed());
		AtomicInteger reconnects = new AtomicInteger();
		CuratorFramework curator = this.zk.curatorOf(idle);
		curator.getConnectionStateListenable().addListener((ignored, state) -> {
			if (state == ConnectionState.RECONNECTED) {
				reconnects.incrementAndGet();
			}
		});
		this.zk.servers().stop();
		this.zk.servers().start();
		await().atMost(Actor.PATIENCE).until(() -> reconnects.get() > 0);
		assertThat(idle.tryAcquire(PATIENT)).hasValueSatisfying(LockHandle::release);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void whileItCannotBeGrantedItIsInNobodysWay(String strategy) throws Exception {
		LockClient unsure = unsure();
		CompletableFuture<LockHandle> patient = unsure.acquireAsync(FOR_HOURS.strategy(strategy));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> unsure.tryAcquire(TRY.strategy(strategy)))
			.withMessageContaining("The lease of the ZooKeeper session is over");
		assertThat(this.client.tryAcquire(PATIENT.strategy(strategy))).hasValueSatisfying(LockHandle::release);
		assertThat(patient).isNotDone();
		patient.cancel(true);
	}

	// Nothing that it knows of its session is younger than an hour, as after a reconnect
	private LockClient unsure() throws Exception {
		AtomicLong idle = new AtomicLong();
		LockClient unsure = this.zk.client()
			.with((builder) -> builder.sessions()
				.leases((clock, nanos, since) -> new Lease(() -> clock.getAsLong() + idle.get(), nanos, since)))
			.open();
		unsure.acquire(LockRequest.exclusive("connected")).release();
		idle.set(Duration.ofHours(1).toNanos());
		return unsure;
	}

	@Test
	void whoWaitsBehindItIsQueuedOnceItHasGivenUp() throws Exception {
		LockClient unsure = unsure();
		CompletableFuture<LockHandle> hasty = unsure.acquireAsync(TRY);
		CompletableFuture<LockHandle> patient = unsure.acquireAsync(TRY.timeout(Actor.PATIENCE));
		assertThat(hasty).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		await().until(() -> this.zk.contenders("job").size() == 1);
		assertThat(patient).isNotDone();
		patient.cancel(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void itIsAnsweredByServersThatComeBack(String strategy) throws Exception {
		this.zk.servers().stop();
		CompletableFuture<LockHandle> patient = this.client.acquireAsync(PATIENT.strategy(strategy));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.client.tryAcquire(TRY.strategy(strategy)))
			.withMessageStartingWith("Could not acquire lock 'job' at once: ");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.client.tryAcquire(TRY.strategy(strategy).answerTimeout(Duration.ofMillis(300))));
		assertThat(patient).isNotDone();
		this.zk.servers().start();
		Actor.get(patient).release();
	}

	@Test
	void whatWasWaitedForAnAnswerDoesNotRunAJobAgain() throws Exception {
		Duration within = Duration.ofSeconds(2);
		LockClient jobs = this.client.notAgainWithin(within, false);
		jobs.tryAcquire(PATIENT).orElseThrow().releaseAsync().join();
		this.zk.servers().stop();
		long asked = System.nanoTime();
		CompletableFuture<LockHandle> late = jobs.acquireAsync(PATIENT);
		while (System.nanoTime() - asked < within.toNanos()) {
			LockSupport.parkNanos(within.toNanos() - (System.nanoTime() - asked));
		}
		this.zk.servers().start();
		assertThat(late).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockTimeoutException.class)
			.withMessageContaining("Job 'job' is not due");
	}

	@Test
	void nobodyElseIsWaitedFor() throws Exception {
		for (String strategy : List.of("sequential", "naive")) {
			LockClient holder = this.zk.client().strategy(strategy).open();
			try (LockHandle held = holder.acquire(LockRequest.exclusive("job"))) {
				assertThat(this.client.tryAcquire(FOR_HOURS.strategy(strategy))).isEmpty();
				assertThat(held.isHeld()).isTrue();
			}
		}
	}

	@Test
	void whoHoldsAGrantThatMayBeRetainedIsNotWaitedForEither() throws Exception {
		LockClient holder = this.zk.client()
			.with((builder) -> builder.handoff(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1))))
			.open();
		try (LockHandle held = holder.acquire(LockRequest.exclusive("job"))) {
			assertThat(this.client.tryAcquire(FOR_HOURS)).isEmpty();
			assertThat(held.isHeld()).isTrue();
		}
		holder.close();
	}

	@Test
	void aRefusalIsAnAnswer() throws Exception {
		CuratorFramework curator = this.zk.curatorOf(this.client);
		String keyNode = this.zk.root() + "/job";
		curator.create().withACL(List.of(new ACL(ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE))).forPath(keyNode);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.client.tryAcquire(FOR_HOURS))
			.withMessageContaining("NoAuth");
	}

	@Test
	void aClientThatIsClosedIsNotWaitedFor() {
		this.zk.announce("has not yet confirmed the removal of all lock nodes");
		this.zk.servers().stop();
		CompletableFuture<LockHandle> patient = this.client.acquireAsync(FOR_HOURS);
		this.client.close();
		assertThat(patient).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockUnavailableException.class)
			.withMessageContaining("closed");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.client.tryAcquire(FOR_HOURS))
			.withMessageContaining("closed");
		this.zk.servers().start();
	}

}
