package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What ends in an outage that is longer than the lease.
 */
interface LeaseContract extends ServerContract {

	@Test
	@Tag("slow")
	@Tag("LockSession.I3")
	default void aHolderKnowsThatItIsLostBeforeTheServersCan() throws Exception {
		zk().announce("lost");
		Duration session = Duration.ofSeconds(3);
		LockClient client = zk().client().strategy(strategy()).session(session).open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		zk().servers().stop();
		Stopwatch stopwatch = Stopwatch.start();
		await().atMost(session).until(() -> !handle.isHeld());
		stopwatch.assertBetween(Duration.ZERO, session.multipliedBy(5).dividedBy(6).plus(GRACE));
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		stopwatch.assertBetween(Duration.ZERO, session);
		zk().servers().start();
		handle.release();
	}

	@Test
	@Tag("slow")
	default void aSessionThatEndsInAnOutageIsReplacedAfterIt() throws Exception {
		zk().announce("lost");
		Duration session = Duration.ofSeconds(3);
		LockClient client = zk().client().strategy(strategy()).session(session).open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		zk().servers().stop();
		await().atMost(session).until(() -> !handle.isHeld());
		zk().servers().start();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.release();
	}

}
