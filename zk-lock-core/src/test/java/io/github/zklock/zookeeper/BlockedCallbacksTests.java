package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * All callback threads wait for futures that only they could complete.
 */
@Timeout(60)
class BlockedCallbacksTests {

	private static final Duration SHORT = Duration.ofMillis(200);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void callsThatWaitAndReleasesGoOnAndWhoGivesUpEndsIt() throws Exception {
		this.zk.announce("was lost");
		LockClient client = this.zk.client().with((builder) -> builder.maxCallbackThreads(2)).open();
		LockClient others = this.zk.client().open();
		LockHandle other = others.acquire(LockRequest.exclusive("busy"));
		LockHandle before = others.acquire(LockRequest.keys(List.of("a", "b")));
		Queue<CompletableFuture<LockHandle>> inner = new ConcurrentLinkedQueue<>();
		List<CompletableFuture<LockHandle>> outer = List.of(client.acquireAsync(LockRequest.exclusive("a")),
				client.acquireAsync(LockRequest.exclusive("b")));
		// Not by join(): who waits in it runs the stages of what has come
		CyclicBarrier eachHasAThread = new CyclicBarrier(2);
		List<CompletableFuture<Void>> stages = outer.stream().map((future) -> future.thenAccept((handle) -> {
			meet(eachHasAThread);
			inner.add(client.acquireAsync(LockRequest.exclusive("busy").timeout(SHORT)));
			inner.forEach(CompletableFuture::join);
		})).toList();
		before.release();
		await().atMost(Actor.PATIENCE).until(() -> inner.size() == 2);

		CountDownLatch lost = new CountDownLatch(1);
		LockHandle held = client.acquire(LockRequest.exclusive("c"));
		held.onLost(lost::countDown);
		this.zk.delete(this.zk.contenders("c").get(0));
		await().atMost(Actor.PATIENCE).until(() -> !held.isHeld());
		outer.forEach((future) -> future.join().release());
		await().atMost(Actor.PATIENCE)
			.until(() -> this.zk.contenders("a").isEmpty() && this.zk.contenders("b").isEmpty());
		await().during(SHORT.multipliedBy(2)).until(() -> inner.stream().noneMatch(CompletableFuture::isDone));
		assertThat(this.zk.contenders("busy")).as("those that waited are gone in their time").hasSize(1);
		assertThat(lost.getCount()).isOne();

		inner.forEach((future) -> future.cancel(false));
		lost.await();
		held.release();
		stages.forEach((stage) -> assertThat(stage).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(CancellationException.class));
		other.release();
	}

	private static void meet(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
