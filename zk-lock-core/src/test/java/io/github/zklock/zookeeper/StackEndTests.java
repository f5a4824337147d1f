package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.Terms;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.testing.StackEnd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers whose stack comes to its end: the error comes before anything has changed.
 */
@Timeout(60)
class StackEndTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	// Compiled, as it is sooner than what comes after it
	@BeforeAll
	static void useTheProbe() {
		for (int i = 0; i < 20_000; i++) {
			StackProbe.requireLeast();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aCallNearTheStacksEndChangesNothing(String strategy) throws Exception {
		LockClient client = openAndUse(strategy);
		AtomicReference<LockHandle> acquired = new AtomicReference<>();
		atTheEndOfTheStack(() -> acquired.compareAndSet(null, acquire(client)));
		assertThat(acquired.get().isHeld()).isTrue();
		acquired.get().releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	@Tag("HeldLock.I4")
	void aReleaseNearTheStacksEndIsDoneElsewhere() throws Exception {
		LockClient client = this.zk.client().open();
		LockHandle handle = acquire(client);
		atTheEndOfTheStack(handle::release);
		await().until(() -> !handle.isHeld());
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void aShareIsTakenAndGivenBackNearTheStacksEndOrNotAtAll() throws Exception {
		LockClient client = this.zk.client().maxHeld("orders*", 1).open();
		acquire(client).releaseAsync().join();
		AtomicReference<LockHandle> acquired = new AtomicReference<>();
		atTheEndOfTheStack(() -> acquired.compareAndSet(null, acquire(client)));
		CompletableFuture<LockHandle> next = client.acquireAsync(LockRequest.exclusive("orders-2"));
		CompletableFuture<LockHandle> last = client.acquireAsync(LockRequest.exclusive("orders-3"));
		assertThat(next).isNotDone();
		atTheEndOfTheStack(acquired.get()::release);
		LockHandle second = next.get(20, TimeUnit.SECONDS);
		assertThat(last).isNotDone();
		atTheEndOfTheStack(second::release);
		last.get(20, TimeUnit.SECONDS).releaseAsync().join();
		assertThat(failures(client)).isZero();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void aKeptGrantIsTakenAndGivenBackNearTheStacksEndOrNotAtAll() throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder
				.handoff(new Handoff(256, Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofMinutes(1))))
			.open();
		for (int i = 0; i < 3; i++) {
			acquire(client).release();
		}
		AtomicReference<LockHandle> acquired = new AtomicReference<>();
		atTheEndOfTheStack(() -> acquired.compareAndSet(null, acquire(client)));
		assertThat(acquired.get().isHeld()).isTrue();
		atTheEndOfTheStack(acquired.get()::release);
		assertThat(acquired.get().isHeld()).isFalse();
		atTheEndOfTheStack(() -> acquire(client).release());
		assertThat(OneTry.of(client, LockRequest.exclusive("orders"))).isPresent()
			.hasValueSatisfying(LockHandle::release);
		assertThat(failures(client)).isZero();
		client.close();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void aKeptGrantThatAnotherCallerWaitsForIsGivenBackNearTheStacksEnd() throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder
				.handoff(new Handoff(256, Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofMinutes(1))))
			.open();
		for (int i = 0; i < 3; i++) {
			acquire(client).release();
		}
		LockHandle handle = acquire(client);
		CompletableFuture<LockHandle> next = client.acquireAsync(LockRequest.exclusive("orders"));
		atTheEndOfTheStack(handle::release);
		next.get(20, TimeUnit.SECONDS).release();
		assertThat(failures(client)).isZero();
		client.close();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void anUnlockNearTheStacksEndForgetsNothing() throws Exception {
		LockClient client = this.zk.client().open();
		Lock lock = client.asLock("orders");
		StackEnd.run(lock::lock, lock::unlock);
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void theLastWorkOfALeaderEndsNearTheStacksEnd() throws Exception {
		LockClient client = this.zk.client().open();
		Terms terms = new Terms();
		try (LeaderElection election = LeaderElection.of(client, "billing", terms)) {
			election.stand();
			await().until(() -> terms.granted().size() == 1);
			election.enter().orElseThrow().release();
			LockHandle work = election.enter().orElseThrow();
			CompletableFuture<Void> withdrawn = election.withdraw();
			await().until(() -> terms.revoked().size() == 1 && terms.isQuiet());
			atTheEndOfTheStack(work::release);
			withdrawn.get(20, TimeUnit.SECONDS);
			this.zk.awaitNothingLeftOf(client);
		}
	}

	@Test
	void aLeaseThatIsFoundOverNearTheStacksEndIsReported() throws Exception {
		this.zk.announce("A hold of");
		AtomicBoolean over = new AtomicBoolean();
		LockClient client = this.zk.client()
			.with((builder) -> builder.sessions()
				.leases((clock, nanos, touchedSince) -> new Ending(clock, nanos, touchedSince, over)))
			.open();
		CompletableFuture<Void> lost = new CompletableFuture<>();
		try (LockHandle handle = acquire(client)) {
			handle.onLost(() -> lost.complete(null));
			over.set(true);
			atTheEndOfTheStack(handle::isHeld);
			lost.get(20, TimeUnit.SECONDS);
		}
		over.set(false);
		assertThat(failures(client)).isZero();
	}

	// What the JVM could not link at the end of the stack it does not link later either.
	private LockClient openAndUse(String strategy) {
		LockClient client = this.zk.client().strategy(strategy).open();
		acquire(client).releaseAsync().join();
		return client;
	}

	private static long failures(LockClient client) {
		return ((ZooKeeperLockClient) client).parts().source().failures().count();
	}

	private static LockHandle acquire(LockClient client) {
		try {
			return client.acquire(LockRequest.exclusive("orders").owner("deep"));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void atTheEndOfTheStack(Runnable action) throws InterruptedException {
		StackEnd.run(() -> {
		}, action);
	}

	/** A lease that ends when the test says so. */
	private static final class Ending extends Lease {

		private final AtomicBoolean over;

		private Ending(LongSupplier clock, long sessionNanos, long touchedSince, AtomicBoolean over) {
			super(clock, sessionNanos, touchedSince);
			this.over = over;
		}

		@Override
		public boolean isValid() {
			return !this.over.get() && super.isValid();
		}

	}

}
