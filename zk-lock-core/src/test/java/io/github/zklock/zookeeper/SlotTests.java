package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;

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
