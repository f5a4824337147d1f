package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.spi.Grant;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A grant passes on among local callers, within bounds, and costs nothing meanwhile.
 */
@Timeout(60)
class HandoffTests {

	private static final String KEY = "orders";

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	private static final Duration LONG = Duration.ofMinutes(1);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@ParameterizedTest
	@Tag("CohortContender.I2")
	@ValueSource(strings = { "sequential", "naive" })
	void theNextLocalCallerGetsTheGrantWithATokenOfItsOwnAndNoTransaction(String strategy) throws Exception {
		LockClient client = open(strategy, new Handoff(64, LONG, Duration.ZERO));
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 20);
		LockHandle first = Actor.get(callers.get(0));
		long zxid = this.zk.zxidAtRest();
		long token = first.fencingToken();
		assertThat(token % Grant.TOKENS).isZero();
		first.release();
		for (CompletableFuture<LockHandle> caller : callers.subList(1, callers.size())) {
			LockHandle handle = Actor.get(caller);
			assertThat(handle.fencingToken()).isEqualTo(++token);
			assertThat(handle.isHeld()).isTrue();
			assertThat(first.isHeld()).isFalse();
			assertThat(this.zk.zxid()).isEqualTo(zxid);
			handle.release();
		}
	}

	@Test
	void afterTheBoundAnotherClientThatWaitsIsServed() throws Exception {
		LockClient client = open("sequential", new Handoff(3, LONG, Duration.ZERO));
		LockClient other = open("sequential", Handoff.DEFAULT);
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 10);
		LockHandle held = Actor.get(callers.get(0));
		CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive(KEY));
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		int served = 0;
		while (!waiting.isDone()) {
			held.release();
			served++;
			CompletableFuture<LockHandle> next = callers.get(served);
			await().until(() -> next.isDone() || waiting.isDone());
			if (next.isDone()) {
				held = Actor.get(next);
			}
		}
		assertThat(served).isEqualTo(4);
		assertThat(callers.get(served)).isNotDone();
		Actor.get(waiting).release();
		for (CompletableFuture<LockHandle> caller : callers.subList(served, callers.size())) {
			Actor.get(caller).release();
		}
	}

	@Test
	@Tag("CohortGrant.I1")
	void whoHasHeldForLongerThanTheBoundHandsNothingOffWhileAnotherClientWaits() throws Exception {
		LockClient client = open("sequential", new Handoff(64, Duration.ZERO, Duration.ZERO));
		LockClient other = open("sequential", Handoff.DEFAULT);
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 2);
		LockHandle held = Actor.get(callers.get(0));
		CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive(KEY));
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		held.release();
		LockHandle served = Actor.get(waiting);
		assertThat(callers.get(1)).isNotDone();
		served.release();
		LockHandle last = Actor.get(callers.get(1));
		assertThat(last.fencingToken()).isGreaterThan(served.fencingToken());
		last.release();
	}

	@Test
	@Tag("CohortGrant.I1")
	void withoutOrderWhoHasHeldForLongerThanTheBoundHandsNothingOff() throws Exception {
		LockClient client = open("naive", new Handoff(64, Duration.ZERO, Duration.ZERO));
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 3);
		for (CompletableFuture<LockHandle> caller : callers) {
			LockHandle handle = Actor.get(caller);
			assertThat(handle.fencingToken() % Grant.TOKENS).isZero();
			handle.release();
		}
	}

	@Test
	@Tag("CohortGrant.I1")
	void noReaderJoinsAReadOlderThanTheBoundThatAWriterWaitsFor() throws Exception {
		LockClient client = open("sequential", new Handoff(64, Duration.ZERO, Duration.ZERO));
		LockClient other = open("sequential", Handoff.DEFAULT);
		LockHandle reading = client.acquire(LockRequest.read(KEY));
		CompletableFuture<LockHandle> writer = other.acquireAsync(LockRequest.write(KEY));
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		CompletableFuture<LockHandle> late = client.acquireAsync(LockRequest.read(KEY));
		await().until(() -> this.zk.contenders(KEY).size() == 3);
		assertThat(late).isNotDone();
		reading.release();
		LockHandle written = Actor.get(writer);
		assertThat(late).isNotDone();
		written.release();
		LockHandle read = Actor.get(late);
		assertThat(read.fencingToken()).isGreaterThan(written.fencingToken());
		read.release();
	}

	@Test
	void whileNobodyElseWaitsAReaderWhoTriesOnceJoinsAReadOlderThanTheBound() throws Exception {
		LockClient client = open("sequential", new Handoff(64, Duration.ZERO, Duration.ZERO));
		LockHandle reading = client.acquire(LockRequest.read(KEY));
		LockHandle joined = OneTry.of(client, LockRequest.read(KEY)).orElseThrow();
		assertThat(joined.fencingToken()).isEqualTo(reading.fencingToken());
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		joined.release();
		reading.release();
	}

	@Test
	void boundsBeyondWhatTheClockCountsAreNone() throws Exception {
		Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
		LockClient client = open("sequential", new Handoff(64, forEver, forEver));
		LockClient other = open("sequential", Handoff.DEFAULT);
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 3);
		long grant = Actor.get(callers.get(0)).fencingToken() / Grant.TOKENS;
		CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive(KEY));
		for (CompletableFuture<LockHandle> caller : callers) {
			LockHandle handle = Actor.get(caller);
			assertThat(handle.fencingToken() / Grant.TOKENS).isEqualTo(grant);
			handle.release();
		}
		Actor.get(waiting).release();
	}

	@Test
	@Tag("CohortContender.I2")
	void whileNobodyElseWaitsAGrantIsHandedOffUpToItsLastToken() throws Exception {
		LockClient client = open("sequential", new Handoff(1, Duration.ZERO, Duration.ZERO));
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), Grant.TOKENS + 2);
		List<Long> tokens = new ArrayList<>();
		for (CompletableFuture<LockHandle> caller : callers) {
			LockHandle handle = Actor.get(caller);
			tokens.add(handle.fencingToken());
			handle.release();
		}
		List<Long> ofFirst = tokens.subList(0, Grant.TOKENS);
		long first = ofFirst.get(0);
		assertThat(first % Grant.TOKENS).isZero();
		assertThat(ofFirst).isEqualTo(LongStream.range(first, first + Grant.TOKENS).boxed().toList());
		List<Long> ofSecond = tokens.subList(Grant.TOKENS, tokens.size());
		long second = ofSecond.get(0);
		assertThat(second).isGreaterThan(first + Grant.TOKENS - 1);
		assertThat(second % Grant.TOKENS).isZero();
		assertThat(ofSecond).containsExactly(second, second + 1);
	}

	@Test
	void turnedOffEveryCallerQueuesForItself() throws Exception {
		LockClient client = open("sequential", new Handoff(0, LONG, Duration.ZERO));
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 5);
		for (CompletableFuture<LockHandle> caller : callers) {
			LockHandle handle = Actor.get(caller);
			assertThat(handle.fencingToken() % Grant.TOKENS).isZero();
			handle.release();
		}
	}

	@Test
	@Tag("Cohort.I3")
	void whoQueuesAgainLeavesAndEntersInOneTransaction() throws Exception {
		LockClient client = open("sequential", new Handoff(1, LONG, Duration.ZERO));
		LockClient other = open("sequential", Handoff.DEFAULT);
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 3);
		LockHandle first = Actor.get(callers.get(0));
		CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(other, KEY);
		first.release();
		LockHandle second = Actor.get(callers.get(1));
		// Then the client has looked, and has seen the other one
		long zxid = this.zk.zxidAtRest();
		second.releaseAsync().join();
		LockHandle served = Actor.get(waiting);
		this.zk.awaitWaiting(client, KEY);
		assertThat(this.zk.zxid()).isEqualTo(zxid + 1);
		assertThat(served.fencingToken()).isGreaterThan(second.fencingToken());
		assertThat(callers.get(2)).isNotDone();
		served.release();
		LockHandle third = Actor.get(callers.get(2));
		assertThat(third.fencingToken()).isEqualTo((zxid + 1) * Grant.TOKENS);
		third.release();
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "WRITE" })
	void turnedOffTheNextCallerCostsOneTransactionAndTwoRequests(LockMode mode) throws Exception {
		LockClient client = open("sequential", new Handoff(0, LONG, Duration.ZERO));
		client.acquire(LockRequest.exclusive("the root is made")).releaseAsync().join();
		long zxid = this.zk.zxidAtRest();
		long packets = server.packetsReceived();
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY).mode(mode), 5);
		for (CompletableFuture<LockHandle> caller : callers) {
			LockHandle handle = Actor.get(caller);
			assertThat(handle.isHeld()).isTrue();
			handle.releaseAsync().join();
		}
		assertThat(server.zxid() - zxid).isEqualTo(1 + 4 + 1);
		assertThat(server.packetsReceived() - packets).isEqualTo(1 + 4 * 2 + 1);
	}

	@Test
	void aWriterHandsOverToReadersInOneTransaction() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, Duration.ZERO));
		LockHandle written = client.acquire(LockRequest.write(KEY));
		List<CompletableFuture<LockHandle>> readers = callers(client, LockRequest.read(KEY), 3);
		long zxid = this.zk.zxidAtRest();
		written.release();
		List<LockHandle> reading = readers.stream().map(Actor::get).toList();
		assertThat(this.zk.zxid()).isEqualTo(zxid + 1);
		CompletableFuture<LockHandle> writer = client.acquireAsync(LockRequest.write(KEY));
		assertThat(reading).extracting(LockHandle::fencingToken).containsOnly((zxid + 1) * Grant.TOKENS);
		reading.forEach(LockHandle::release);
		LockHandle last = Actor.get(writer);
		assertThat(this.zk.zxid()).isEqualTo(zxid + 2);
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		last.release();
	}

	@ParameterizedTest
	@Tag("Bypass.I1")
	@ValueSource(strings = { "sequential", "naive" })
	void readersPassLocalWritersWhoGatherForOneWrite(String strategy) throws Exception {
		LockClient client = open(strategy, new Handoff(64, LONG, Duration.ZERO));
		LockHandle reading = client.acquire(LockRequest.read(KEY));
		CompletableFuture<LockHandle> writer = client.acquireAsync(LockRequest.write(KEY));
		CompletableFuture<LockHandle> reader = client.acquireAsync(LockRequest.read(KEY));
		CompletableFuture<LockHandle> secondWriter = client.acquireAsync(LockRequest.write(KEY));
		long zxid = this.zk.zxidAtRest();
		LockHandle alsoReading = Actor.get(reader);
		reading.release();
		assertThat(alsoReading.isHeld()).isTrue();
		assertThat(writer).isNotDone();
		assertThat(this.zk.zxid()).isEqualTo(zxid);
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		alsoReading.release();
		LockHandle written = Actor.get(writer);
		long writing = this.zk.zxid();
		written.release();
		LockHandle second = Actor.get(secondWriter);
		assertThat(second.fencingToken()).isEqualTo(written.fencingToken() + 1);
		assertThat(this.zk.zxid()).isEqualTo(writing);
		second.release();
	}

	@ParameterizedTest
	@Tag("Bypass.I2")
	@ValueSource(strings = { "sequential", "naive" })
	void aWriteEntersWhileLocalReadersHoldAndIsPassedByNobody(String strategy) throws Exception {
		LockClient client = open(strategy, new Handoff(64, Duration.ofMillis(20), Duration.ZERO));
		LockHandle reading = client.acquire(LockRequest.read(KEY));
		CompletableFuture<LockHandle> writer = client.acquireAsync(LockRequest.write(KEY));
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		CompletableFuture<LockHandle> late = client.acquireAsync(LockRequest.read(KEY));
		LockClient other = open("sequential", Handoff.DEFAULT);
		CompletableFuture<LockHandle> otherReader = other.acquireAsync(LockRequest.read(KEY));
		this.zk.awaitWaiting(other, KEY);
		assertThat(reading.isHeld()).isTrue();
		assertThat(writer).isNotDone();
		assertThat(late).isNotDone();
		reading.release();
		LockHandle written = Actor.get(writer);
		assertThat(written.isHeld()).isTrue();
		assertThat(late).isNotDone();
		assertThat(otherReader).isNotDone();
		written.release();
		Actor.get(late).release();
		Actor.get(otherReader).release();
	}

	@Test
	@Tag("Bypass.I1")
	void aWriterIsServedAlthoughLocalReadersNeverEnd() throws Exception {
		LockClient client = open("sequential", Handoff.DEFAULT);
		AtomicBoolean written = new AtomicBoolean();
		List<Actor> readers = List.of(this.zk.actor(), this.zk.actor(), this.zk.actor());
		List<CompletableFuture<Integer>> reading = readers.stream().map((reader) -> reader.call(() -> {
			int reads = 0;
			while (!written.get()) {
				try (LockHandle handle = client.acquire(LockRequest.read(KEY))) {
					reads += handle.isHeld() ? 1 : 0;
				}
			}
			return reads;
		})).toList();
		await().until(() -> !this.zk.contenders(KEY).isEmpty());
		for (int i = 0; i < 20; i++) {
			client.acquire(LockRequest.write(KEY).timeout(Duration.ofMinutes(1))).release();
		}
		written.set(true);
		reading.forEach((reads) -> assertThat(Actor.get(reads)).isPositive());
	}

	@Test
	@Tag("Bypass.I3")
	void aReaderIsServedAlthoughLocalWritersNeverEnd() throws Exception {
		LockClient client = open("sequential", Handoff.DEFAULT);
		AtomicBoolean read = new AtomicBoolean();
		List<Actor> writers = List.of(this.zk.actor(), this.zk.actor(), this.zk.actor());
		List<CompletableFuture<Integer>> writing = writers.stream().map((writer) -> writer.call(() -> {
			int writes = 0;
			while (!read.get()) {
				try (LockHandle handle = client.acquire(LockRequest.write(KEY))) {
					writes += handle.isHeld() ? 1 : 0;
				}
			}
			return writes;
		})).toList();
		await().until(() -> !this.zk.contenders(KEY).isEmpty());
		for (int i = 0; i < 20; i++) {
			client.acquire(LockRequest.read(KEY).timeout(Duration.ofMinutes(1))).release();
		}
		read.set(true);
		writing.forEach((writes) -> assertThat(Actor.get(writes)).isPositive());
	}

	@Test
	@Tag("NodeCreation.I2")
	void whoQueuesAgainFromANodeThatAnOperatorHasDeletedStillQueues() throws Exception {
		LockClient client = open("sequential", new Handoff(0, LONG, Duration.ZERO));
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 2);
		LockHandle first = Actor.get(callers.get(0));
		this.zk.delete(this.zk.contenders(KEY).get(0));
		first.releaseAsync().join();
		LockHandle second = Actor.get(callers.get(1));
		assertThat(second.isHeld()).isTrue();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		second.release();
	}

	@Test
	@Tag("ZooKeeperContender.I5")
	void whoQueuesAgainAndGivesUpAtOnceLeavesNothing() throws Exception {
		LockClient client = open("sequential", new Handoff(0, LONG, Duration.ZERO));
		for (int i = 0; i < 50; i++) {
			List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 2);
			LockHandle first = Actor.get(callers.get(0));
			CompletableFuture<Void> released = first.releaseAsync();
			if (!callers.get(1).cancel(false)) {
				Actor.get(callers.get(1)).release();
			}
			Actor.get(released);
		}
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	@Tag("Cohort.I4")
	void aCallerThatGivesUpDisturbsNoOther() throws Exception {
		LockClient client = open("sequential", Handoff.DEFAULT);
		LockHandle other = open("sequential", Handoff.DEFAULT).acquire(LockRequest.exclusive(KEY));
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 3);
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		List<String> before = this.zk.contenders(KEY);
		callers.get(0).cancel(false);
		callers.get(1).cancel(false);
		assertThat(this.zk.contenders(KEY)).isEqualTo(before);
		other.release();
		Actor.get(callers.get(2)).release();
	}

	@Test
	@Tag("Cohort.I1")
	void readersShareOneContenderAndQueueBehindALocalWriterWhomTheyMayNotPass() throws Exception {
		LockClient client = open("sequential", new Handoff(64, Duration.ZERO, Duration.ZERO));
		LockHandle one = Actor.get(client.acquireAsync(LockRequest.read(KEY)));
		LockHandle two = Actor.get(client.acquireAsync(LockRequest.read(KEY)));
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		assertThat(two.fencingToken()).isEqualTo(one.fencingToken());
		CompletableFuture<LockHandle> writer = client.acquireAsync(LockRequest.write(KEY));
		CompletableFuture<LockHandle> late = client.acquireAsync(LockRequest.read(KEY));
		one.release();
		assertThat(writer).isNotDone();
		assertThat(late).isNotDone();
		two.release();
		LockHandle written = Actor.get(writer);
		assertThat(written.fencingToken()).isGreaterThan(one.fencingToken());
		assertThat(late).isNotDone();
		written.release();
		LockHandle read = Actor.get(late);
		assertThat(read.fencingToken()).isGreaterThan(written.fencingToken());
		read.release();
	}

	@Test
	void aLostGrantIsNotHandedOffAndNobodyWaitsForItsHolder() throws Exception {
		LockClient client = open("sequential", Handoff.DEFAULT);
		this.zk.announce("was lost");
		List<CompletableFuture<LockHandle>> callers = callers(client, LockRequest.exclusive(KEY), 2);
		LockHandle lost = Actor.get(callers.get(0));
		this.zk.expireSession(client);
		LockHandle next = Actor.get(callers.get(1));
		assertThat(lost.isHeld()).isFalse();
		assertThat(next.isHeld()).isTrue();
		assertThat(next.fencingToken() / Grant.TOKENS).isGreaterThan(lost.fencingToken() / Grant.TOKENS);
		next.release();
		lost.release();
	}

	@Test
	@Tag("CohortMap.I1")
	void aRetainedGrantIsTakenAgainWithoutAnyTransaction() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, LONG));
		client.acquire(LockRequest.exclusive(KEY)).release();
		long zxid = this.zk.zxidAtRest();
		for (int i = 0; i < 30; i++) {
			client.acquire(LockRequest.exclusive(KEY)).release();
		}
		assertThat(this.zk.zxid()).isEqualTo(zxid);
		client.close();
		assertThat(this.zk.contenders(KEY)).isEmpty();
	}

	@Test
	void aRetainedGrantWithoutTokensIsReplacedInOneTransactionThatNobodyAskedFor() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, LONG));
		long first = acquireAndRelease(client, 1);
		long zxid = this.zk.zxidAtRest();
		assertThat(acquireAndRelease(client, Grant.TOKENS - 1)).isEqualTo(first + Grant.TOKENS - 1);
		await().until(() -> this.zk.zxid() == zxid + 1);
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		assertThat(acquireAndRelease(client, Grant.TOKENS - 1)).isEqualTo((zxid + 2) * Grant.TOKENS - 2);
		assertThat(this.zk.zxid()).isEqualTo(zxid + 1);
		client.close();
		assertThat(this.zk.contenders(KEY)).isEmpty();
	}

	@Test
	void aReplacementThatNobodyWantsIsGivenUpWhenItsTimeIsOver() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, Duration.ofMillis(50)));
		acquireAndRelease(client, Grant.TOKENS);
		await().until(() -> this.zk.contenders(KEY).isEmpty());
	}

	@Test
	@Tag("Cohort.I4")
	void aReplacementGivesWayToAnyOtherClient() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, LONG));
		LockClient other = open("sequential", Handoff.DEFAULT);
		for (int i = 0; i < 5; i++) {
			acquireAndRelease(client, Grant.TOKENS);
			try (LockHandle handle = other.acquire(LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(10)))) {
				assertThat(handle.isHeld()).isTrue();
			}
			LockRequest read = LockRequest.read(KEY).timeout(Duration.ofSeconds(10));
			acquireAndRelease(client, Grant.TOKENS);
			client.acquire(read).release();
		}
		client.close();
	}

	@Test
	void replacementsExcludeEachOther() throws Exception {
		Handoff retaining = new Handoff(64, LONG, Duration.ofMillis(20));
		List<LockClient> clients = List.of(open("sequential", retaining), open("sequential", retaining));
		AtomicInteger inside = new AtomicInteger();
		AtomicLong lastToken = new AtomicLong();
		List<Actor> actors = IntStream.range(0, 4).mapToObj((i) -> new Actor("caller " + i)).toList();
		List<CompletableFuture<Void>> working = new ArrayList<>();
		for (int i = 0; i < actors.size(); i++) {
			LockClient client = clients.get(i % 2);
			working.add(actors.get(i).call(() -> {
				for (int turn = 0; turn < 2 * Grant.TOKENS; turn++) {
					try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						assertThat(lastToken.getAndSet(handle.fencingToken())).isLessThan(handle.fencingToken());
						inside.decrementAndGet();
					}
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> one : working) {
			one.get(60, TimeUnit.SECONDS);
		}
		actors.forEach(Actor::close);
		await().until(() -> this.zk.contenders(KEY).isEmpty());
	}

	private static long acquireAndRelease(LockClient client, int times) throws InterruptedException {
		long token = 0;
		for (int i = 0; i < times; i++) {
			try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(10)))) {
				assertThat(handle.fencingToken()).isGreaterThan(token);
				token = handle.fencingToken();
			}
		}
		return token;
	}

	@Test
	void aRetainedGrantIsGivenUpAtOnceWhenAnotherClientComes() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, LONG));
		client.acquire(LockRequest.exclusive(KEY)).release();
		LockClient other = open("sequential", Handoff.DEFAULT);
		try (LockHandle handle = other.acquire(LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(10)))) {
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void aRetainedGrantIsGivenUpWhenItsTimeIsOver() throws Exception {
		LockClient client = open("sequential", new Handoff(64, LONG, Duration.ofMillis(50)));
		client.acquire(LockRequest.exclusive(KEY)).release();
		await().until(() -> this.zk.contenders(KEY).isEmpty());
	}

	private static List<CompletableFuture<LockHandle>> callers(LockClient client, LockRequest request, int count) {
		List<CompletableFuture<LockHandle>> callers = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			callers.add(client.acquireAsync(request));
		}
		return callers;
	}

	private LockClient open(String strategy, Handoff handoff) {
		return this.zk.client()
			.strategy(strategy)
			.session(LONG_SESSION)
			.with((builder) -> builder.handoff(handoff))
			.open();
	}

}
