package io.github.zklock.zookeeper;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Grants that their clients' callers take from a slot, beside callers who come to the
 * queue, here and elsewhere.
 */
@Timeout(60)
class SlotTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").timeout(Duration.ofSeconds(40));

	private static final int LOCKS = 1_000;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger violations = new AtomicInteger();

	private final AtomicLong lastToken = new AtomicLong();

	@ParameterizedTest
	@ValueSource(ints = { 0, 1_000 })
	void callersExcludeEachOtherAndTheirTokensGrow(int retainMillis) throws Exception {
		Handoff handoff = new Handoff(256, Duration.ofMillis(1), Duration.ofMillis(100),
				Duration.ofMillis(retainMillis));
		List<LockClient> clients = List.of(open(handoff), open(handoff));
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockClient client = clients.get(i / 3);
			callers
				.add(CompletableFuture.runAsync(() -> use(client), (caller) -> new Thread(caller, "caller").start()));
		}
		callers.forEach(CompletableFuture::join);
		assertThat(this.violations).hasValue(0);
		for (LockClient client : clients) {
			client.close();
			this.zk.awaitNothingLeftOf(client);
		}
	}

	@Test
	void whoHasLostTheKeyIsRefusedAlthoughItIsRetainedForOthers() throws Exception {
		this.zk.announce("was lost");
		LockClient client = open(retaining());
		LockRequest lost = REQUEST.owner("lost").maxHold(Duration.ofMillis(50));
		LockHandle outstayed = client.acquire(lost);
		await().until(() -> !outstayed.isHeld());
		for (int i = 0; i < 3; i++) {
			client.acquire(REQUEST).release();
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> client.acquire(REQUEST.owner("lost")));
		outstayed.release();
		client.acquire(REQUEST.owner("lost")).release();
		client.close();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void whoHasARetainedLockEntersItAgain() throws Exception {
		LockClient client = open(retaining());
		client.acquire(REQUEST).release();
		LockHandle outer = client.acquire(REQUEST);
		LockHandle inner = client.acquire(REQUEST);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		outer.release();
		assertThat(inner.isHeld()).isTrue();
		assertThat(client.tryAcquire(REQUEST.owner("another").timeout(Duration.ZERO))).isEmpty();
		inner.release();
		client.acquire(REQUEST.owner("another")).release();
		client.close();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void aLockThatIsRetainedTakesFewBytes() throws Exception {
		assertThat(bytes(open(retaining()), () -> REQUEST)).isLessThan(288);
	}

	@Test
	void aLockThatIsRetainedByARuleTakesFewBytes() throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder.rule(KeyRule.of("reports/*").maxHeld(2))
				.rule(KeyRule.of("reports/*").strategy("naive"))
				.rule(KeyRule.of("order*").handoff(retaining())))
			.open();
		assertThat(bytes(client, () -> REQUEST)).isLessThan(288);
	}

	@Test
	void aRequestOfOneKeyTakesFewBytes() throws Exception {
		assertThat(bytes(open(retaining()), () -> LockRequest.exclusive("orders"))).isLessThan(450);
	}

	private long bytes(LockClient client, Supplier<LockRequest> request) throws Exception {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long fewest = Long.MAX_VALUE;
		// What is linked at the first use does not count, nor do steps after a pause
		for (int i = 0; i < 3; i++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int lock = 0; lock < LOCKS; lock++) {
				client.acquire(request.get()).release();
			}
			fewest = Math.min(fewest, threads.getCurrentThreadAllocatedBytes() - before);
		}
		client.close();
		this.zk.awaitNothingLeftOf(client);
		return fewest / LOCKS;
	}

	private static Handoff retaining() {
		return new Handoff(256, Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofMinutes(1));
	}

	private LockClient open(Handoff handoff) {
		return this.zk.client().with((builder) -> builder.handoff(handoff)).open();
	}

	private void use(LockClient client) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		for (int i = 0; i < LOCKS; i++) {
			LockHandle held = acquire(client);
			if (this.inside.incrementAndGet() != 1
					|| this.lastToken.getAndSet(held.fencingToken()) >= held.fencingToken() || !held.isHeld()) {
				this.violations.incrementAndGet();
			}
			if (random.nextInt(8) == 0) {
				LockSupport.parkNanos(random.nextInt(300_000));
			}
			this.inside.decrementAndGet();
			if (random.nextInt(16) == 0) {
				held.releaseAsync().join();
			}
			else {
				held.release();
			}
			if (random.nextInt(16) == 0) {
				LockSupport.parkNanos(random.nextInt(2_000_000));
			}
		}
	}

	private static LockHandle acquire(LockClient client) {
		try {
			return client.acquire(REQUEST);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
