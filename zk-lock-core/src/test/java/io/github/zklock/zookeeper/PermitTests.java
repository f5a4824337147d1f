package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What permits cost, and how they get from one to the other.
 */
@Timeout(60)
class PermitTests {

	private static final String KEY = "reports";

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	private static final Duration LONG = Duration.ofMinutes(1);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	private LockClient open() {
		return this.zk.client().session(LONG_SESSION).open();
	}

	private LockClient open(Handoff handoff) {
		return this.zk.client().session(LONG_SESSION).with((builder) -> builder.handoff(handoff)).open();
	}

	/** The key is known by then, so who is first does not make it. */
	private LockClient openAndUse(int permits) throws Exception {
		LockClient client = open();
		client.acquire(permit(permits)).releaseAsync().join();
		client.acquire(permit(permits)).releaseAsync().join();
		return client;
	}

	private static LockRequest permit(int permits) {
		return LockRequest.permits(KEY, permits).owner(new Object()).timeout(LONG);
	}

	@Test
	void aFreePermitCostsWhatALockCosts() throws Exception {
		LockClient client = open();
		LockHandle other = open().acquire(permit(3));
		client.acquire(permit(3)).releaseAsync().join();
		int times = 20;
		long packets = this.zk.packetsAtRest();
		long zxid = this.zk.zxid();
		for (int i = 0; i < times; i++) {
			client.acquire(permit(3)).releaseAsync().join();
		}
		assertThat(server.packetsReceived() - packets).isEqualTo(3L * times);
		assertThat(server.zxid() - zxid).isEqualTo(2L * times);
		other.release();
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "2, 2", "3, 2", "6, 2" })
	@Tag("slow")
	void aReleaseWakesTwoClientsAtMostHoweverManyWait(int permits, int woken) throws Exception {
		// Nobody who holds for long comes to watch its own node, and has that watch fired
		List<LockClient> clients = new ArrayList<>();
		for (int i = 0; i < permits + 40; i++) {
			clients.add((i < permits) ? openAndUse(permits) : open());
		}
		List<LockHandle> holders = new ArrayList<>();
		for (LockClient client : clients.subList(0, permits)) {
			holders.add(client.acquire(permit(permits)));
		}
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (LockClient client : clients.subList(permits, clients.size())) {
			waiting.add(client.acquireAsync(permit(permits)));
			this.zk.awaitWaiting(client, KEY);
		}
		int holdersWatches = (permits <= 4) ? permits : 1;
		awaitWatches(holdersWatches + 39);
		for (int i = 0; i < 3; i++) {
			long fired = TestServers.watchesFired();
			long zxid = this.zk.zxidAtRest();
			holders.remove(permits / 2).release();
			holders.add(Actor.get(waiting.get(i)));
			await().atMost(Actor.PATIENCE).until(() -> TestServers.watchesFired() - fired >= woken);
			this.zk.packetsAtRest();
			awaitWatches(holdersWatches + 38 - i);
			assertThat(TestServers.watchesFired() - fired).isEqualTo(woken);
			assertThat(server.zxid() - zxid).as("the delete, and the mark").isEqualTo(woken);
			assertThat(waiting.get(i + 1)).isNotDone();
		}
		waiting.forEach((future) -> future.cancel(false));
		holders.forEach(LockHandle::release);
	}

	private void awaitWatches(int expected) {
		await().atMost(Actor.PATIENCE).until(() -> this.zk.watchers(KEY) == expected);
	}

	@Test
	void theLastWaiterToGetOneMarksNothing() throws Exception {
		LockHandle first = openAndUse(2).acquire(permit(2));
		LockHandle second = open().acquire(permit(2));
		LockClient third = open();
		CompletableFuture<LockHandle> waiting = third.acquireAsync(permit(2));
		this.zk.awaitWaiting(third, KEY);
		long zxid = this.zk.zxidAtRest();
		first.release();
		LockHandle next = Actor.get(waiting);
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		this.zk.packetsAtRest();
		assertThat(server.zxid() - zxid).isEqualTo(1);
		next.release();
		second.release();
	}

	@Test
	void theQueueShowsWhoHoldsAndHowManyMay() throws Exception {
		LockClient client = open();
		List<LockHandle> holders = List.of(client.acquire(permit(2)), open().acquire(permit(2)));
		LockClient third = open();
		CompletableFuture<LockHandle> waiting = third.acquireAsync(permit(2));
		this.zk.awaitWaiting(third, KEY);
		List<Contender> contenders;
		try (ZooKeeperLockInspector inspector = this.zk.inspector(client)) {
			contenders = inspector.line(KEY).contenders();
		}
		assertThat(contenders).extracting(Contender::holds).containsExactly(true, true, false);
		assertThat(contenders).extracting(Contender::permits).containsOnly(2);
		assertThat(contenders.get(0).description()).contains("\"permits\":\"2\"");
		waiting.cancel(false);
		holders.forEach(LockHandle::release);
	}

	@Test
	void aMutexOfCuratorsAndAPermitKeepEachOtherOut() throws Exception {
		InterProcessMutex mutex = new InterProcessMutex(this.zk.curator(LONG_SESSION), this.zk.keyNode(KEY));
		LockHandle permit = open().acquire(permit(3));
		assertThat(mutex.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
		permit.releaseAsync().join();
		assertThat(mutex.acquire(10, TimeUnit.SECONDS)).isTrue();
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(permit(3));
		this.zk.awaitWaiting(client, KEY);
		mutex.release();
		Actor.get(waiting).release();
	}

	@Test
	@Tag("slow")
	void aPermitComesBackWithTheSessionOfItsHolder() throws Exception {
		this.zk.announce("A hold of");
		LockClient first = open();
		LockHandle lost = first.acquire(permit(1));
		LockClient second = open();
		CompletableFuture<LockHandle> waiting = second.acquireAsync(permit(1));
		this.zk.awaitWaiting(second, KEY);
		this.zk.expireSession(first);
		LockHandle next = Actor.get(waiting);
		await().until(() -> !lost.isHeld());
		assertThat(next.isHeld()).isTrue();
		lost.release();
		next.release();
	}

	@Test
	void aPermitThatWasLostIsNotHandedOffAndNobodyWaitsForItsHolder() throws Exception {
		this.zk.announce("was lost");
		LockClient client = open(Handoff.DEFAULT);
		List<LockHandle> lost = List.of(client.acquire(permit(2)), client.acquire(permit(2)));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(permit(2));
		this.zk.expireSession(client);
		LockHandle next = Actor.get(waiting);
		assertThat(lost).noneMatch(LockHandle::isHeld);
		LockHandle another = OneTry.of(client, permit(2)).orElseThrow();
		assertThat(next.isHeld()).isTrue();
		assertThat(OneTry.of(client, permit(2))).isEmpty();
		lost.forEach(LockHandle::release);
		assertThat(another.isHeld()).isTrue();
		next.release();
		another.release();
		this.zk.awaitNothingLeftOf(client);
	}

	@ParameterizedTest
	@Tag("PermitCohort.I1")
	@Tag("PermitCohort.I2")
	@ValueSource(ints = { 1, 2, 5 })
	void localCallersPassTheirPermitsOnWithoutARequest(int permits) throws Exception {
		LockClient client = open(new Handoff(64, LONG, Duration.ZERO));
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < permits; i++) {
			held.add(client.acquire(permit(permits)));
		}
		List<CompletableFuture<LockHandle>> callers = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			callers.add(client.acquireAsync(permit(permits)));
		}
		long zxid = this.zk.zxidAtRest();
		for (int i = 0; i < 20; i++) {
			assertThat(callers.get(i)).isNotDone();
			held.remove(0).release();
			held.add(Actor.get(callers.get(i)));
			assertThat(held).allMatch(LockHandle::isHeld);
		}
		assertThat(server.zxid()).isEqualTo(zxid);
		assertThat(this.zk.contenders(KEY)).hasSize(permits);
		held.forEach(LockHandle::release);
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	@Tag("PermitCohort.I3")
	void aRetainedPermitIsTakenAgainWithoutATransactionAndGivenUpWhenItIsWanted() throws Exception {
		LockClient client = open(new Handoff(64, LONG, LONG));
		LockHandle first = client.acquire(permit(2));
		client.acquire(permit(2)).release();
		first.release();
		long zxid = this.zk.zxidAtRest();
		for (int i = 0; i < 5; i++) {
			client.acquire(permit(2)).release();
		}
		LockHandle one = client.acquire(permit(2));
		LockHandle two = client.acquire(permit(2));
		assertThat(server.zxid()).isEqualTo(zxid);
		assertThat(this.zk.contenders(KEY)).hasSize(2);
		one.release();
		LockHandle others = open().acquire(permit(2));
		assertThat(two.isHeld()).isTrue();
		others.release();
		two.release();
	}

	@Test
	@Tag("QueueWait.I4")
	void aTryGetsAPermitThatIsOnlyRetained() throws Exception {
		LockClient client = open(new Handoff(64, LONG, LONG));
		LockHandle first = client.acquire(permit(2));
		LockHandle second = client.acquire(permit(2));
		LockClient other = open();
		assertThat(OneTry.of(other, permit(2))).as("both are held").isEmpty();
		assertThat(OneTry.of(other, permit(2))).as("both are known to be held").isEmpty();
		second.release();
		LockClient third = open();
		LockHandle taken = OneTry.of(third, permit(2)).orElseThrow();
		assertThat(taken.isHeld()).isTrue();
		assertThat(first.isHeld()).isTrue();
		assertThat(OneTry.of(open(), permit(2))).isEmpty();
		taken.release();
		first.release();
		client.close(); // Nobody else wants what it retains
	}

	@Test
	@Tag("PermitCohorts.I1")
	void nothingIsLeftOfCallersWhoGiveUpInAnyOrder() throws Exception {
		LockClient client = open();
		LockHandle held = open().acquire(permit(1));
		Random random = new Random(7);
		for (int round = 0; round < 20; round++) {
			List<CompletableFuture<LockHandle>> callers = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				callers.add(client.acquireAsync(permit(1)));
			}
			while (!callers.isEmpty()) {
				callers.remove(random.nextInt(callers.size())).cancel(false);
			}
		}
		assertThatIllegalStateException().isThrownBy(held::downgrade);
		held.release();
		client.acquire(permit(1)).releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@ParameterizedTest
	@CsvSource({ "sequential, sequential, 3", "sequential, sequential, 6", "sequential, naive, 3", "naive, naive, 2" })
	void noMoreHoldThanMay(String strategy, String other, int permits) throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<Actor> actors = new ArrayList<>();
		List<CompletableFuture<Integer>> ends = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockClient client = this.zk.client().strategy((i % 2 == 0) ? strategy : other).open();
			for (int j = 0; j < 3; j++) {
				actors.add(this.zk.actor());
				ends.add(actors.get(actors.size() - 1).call(() -> {
					int served = 0;
					while (served < 25) {
						LockHandle handle = client.acquire(permit(permits));
						most.accumulateAndGet(inside.incrementAndGet(), Math::max);
						LockSupport.parkNanos(100_000);
						assertThat(handle.isHeld()).isTrue();
						inside.decrementAndGet();
						handle.release();
						served++;
					}
					return served;
				}));
			}
		}
		for (CompletableFuture<Integer> end : ends) {
			assertThat(Actor.get(end)).isEqualTo(25);
		}
		assertThat(most.get()).isBetween(2, permits);
	}

}
