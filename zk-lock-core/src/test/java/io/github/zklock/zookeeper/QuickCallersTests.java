package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads of one client that lock in a loop: one takes the lock while the next one wakes.
 */
@Timeout(60)
class QuickCallersTests {

	private static final String KEY = "orders";

	private static final int THREADS = 6;

	private static final int LOCKS = 1_500;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final AtomicBoolean inside = new AtomicBoolean();

	private final AtomicInteger overlaps = new AtomicInteger();

	private final AtomicInteger tokensGoBack = new AtomicInteger();

	private final AtomicLong lastToken = new AtomicLong();

	private final List<Actor> actors = new ArrayList<>();

	@AfterEach
	void endActors() {
		this.actors.forEach(Actor::close);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void theyExcludeEachOtherTokensGrowAndAllAreServed(int clients) throws Exception {
		List<LockClient> opened = new ArrayList<>();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < clients; i++) {
			LockClient client = this.zk.client().open();
			opened.add(client);
			for (int j = 0; j < THREADS; j++) {
				callers.add(call(() -> {
					for (int k = 0; k < LOCKS; k++) {
						try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
							section(handle.fencingToken());
						}
					}
					return null;
				}));
			}
		}
		for (CompletableFuture<Void> caller : callers) {
			Actor.get(caller);
		}
		assertThat(this.overlaps).hasValue(0);
		assertThat(this.tokensGoBack).hasValue(0);
		for (LockClient client : opened) {
			this.zk.awaitNothingLeftOf(client);
		}
	}

	@Test
	void whoLocksWithoutRegardToInterruptsIsServedToo() throws Exception {
		LockClient client = this.zk.client().open();
		Lock lock = client.asLock(KEY);
		AtomicInteger count = new AtomicInteger();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int j = 0; j < THREADS; j++) {
			callers.add(call(() -> {
				for (int k = 0; k < LOCKS; k++) {
					lock.lock();
					try {
						count.set(count.get() + 1);
					}
					finally {
						lock.unlock();
					}
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> caller : callers) {
			Actor.get(caller);
		}
		assertThat(count).hasValue(THREADS * LOCKS);
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void whoGivesUpWhileOthersComeAndGoLeavesNothing() throws Exception {
		LockClient client = this.zk.client().open();
		AtomicBoolean stop = new AtomicBoolean();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int j = 0; j < THREADS; j++) {
			callers.add(call(() -> {
				while (!stop.get()) {
					try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
						section(handle.fencingToken());
					}
				}
				return null;
			}));
		}
		for (int i = 0; i < 300; i++) {
			acquireWithin(client, Duration.ofNanos(1 + i * 1_000L));
			CompletableFuture<LockHandle> future = client.acquireAsync(LockRequest.exclusive(KEY));
			if (!future.cancel(false)) {
				Actor.get(future).release();
			}
		}
		stop.set(true);
		for (CompletableFuture<Void> caller : callers) {
			Actor.get(caller);
		}
		assertThat(this.overlaps).hasValue(0);
		this.zk.awaitNothingLeftOf(client);
	}

	// Within so short a time nothing may have been answered
	private static void acquireWithin(LockClient client, Duration timeout) throws InterruptedException {
		try {
			client.tryAcquire(LockRequest.exclusive(KEY).timeout(timeout)).ifPresent(LockHandle::release);
		}
		catch (LockUnavailableException unanswered) {
			assertThat(unanswered).hasMessageContaining("gave no answer");
		}
	}

	private CompletableFuture<Void> call(Callable<Void> call) {
		Actor actor = new Actor("caller-" + this.actors.size());
		this.actors.add(actor);
		return actor.call(call);
	}

	private void section(long token) {
		if (!this.inside.compareAndSet(false, true)) {
			this.overlaps.incrementAndGet();
		}
		if (this.lastToken.getAndSet(token) >= token) {
			this.tokensGoBack.incrementAndGet();
		}
		this.inside.set(false);
	}

}
