package io.github.zklock.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.Section;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A rolling deployment changes the strategy: for a while both contend for one key.
 */
@Timeout(60)
class StrategySwitchTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@CsvSource({ "naive, sequential, EXCLUSIVE, EXCLUSIVE", "naive, sequential, EXCLUSIVE, READ",
			"naive, sequential, EXCLUSIVE, WRITE", "naive, sequential, READ, EXCLUSIVE",
			"naive, sequential, WRITE, READ", "sequential, naive, EXCLUSIVE, EXCLUSIVE",
			"sequential, naive, EXCLUSIVE, READ", "sequential, naive, READ, EXCLUSIVE",
			"sequential, naive, READ, WRITE", "sequential, naive, WRITE, EXCLUSIVE" })
	void aHolderOfOneStrategyKeepsOutTheOther(String first, String second, LockMode held, LockMode asked)
			throws Exception {
		LockHandle handle = open(first).acquire(request(held));
		LockClient other = open(second);
		assertThat(OneTry.of(other, request(asked))).isEmpty();
		CompletableFuture<LockHandle> waiting = other.acquireAsync(request(asked));
		this.zk.awaitWaiting(other, KEY);
		assertThat(waiting).isNotDone();
		assertThat(handle.isHeld()).isTrue();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.release();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, naive", "naive, sequential" })
	void readersOfBothStrategiesReadTogetherOnOneClient(String first, String second) throws Exception {
		LockClient client = open(first);
		LockRequest read = request(LockMode.READ).timeout(Actor.PATIENCE);
		LockHandle reader = Actor.get(client.acquireAsync(read));
		LockHandle another = Actor.get(client.acquireAsync(read.strategy(second)));
		LockHandle third = Actor.get(client.acquireAsync(read));
		assertThat(OneTry.of(client, read.strategy(second))).hasValueSatisfying(LockHandle::release);
		assertThat(OneTry.of(client, read.strategy(first))).hasValueSatisfying(LockHandle::release);
		assertThat(List.of(reader, another, third)).allMatch(LockHandle::isHeld);
		assertThat(OneTry.of(client, request(LockMode.WRITE).strategy(second))).isEmpty();
		third.release();
		another.release();
		reader.release();
		Actor.get(client.acquireAsync(request(LockMode.WRITE).strategy(second))).release();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void aSequentialContenderWaitsForTheNaiveHoldersNodeToGo(LockMode asked) throws Exception {
		LockHandle handle = open("naive").acquire(request(LockMode.EXCLUSIVE));
		assertThat(this.zk.contenders(KEY)).containsExactly(this.zk.keyNode(KEY));
		LockClient one = open("sequential");
		LockClient two = open("sequential");
		CompletableFuture<LockHandle> first = one.acquireAsync(request(asked));
		CompletableFuture<LockHandle> second = two.acquireAsync(request(LockMode.EXCLUSIVE));
		this.zk.awaitWaiting(one, KEY);
		this.zk.awaitWaiting(two, KEY);
		assertThat(this.zk.contenders(KEY)).containsExactly(this.zk.keyNode(KEY));
		handle.release();
		CompletableFuture<LockHandle> any = first.applyToEither(second, (winner) -> winner);
		Actor.get(any);
		CompletableFuture<LockHandle> winner = first.isDone() ? first : second;
		CompletableFuture<LockHandle> loser = (winner == first) ? second : first;
		assertThat(loser).isNotDone();
		Actor.get(winner).release();
		Actor.get(loser).release();
	}

	@Test
	void aNaiveContenderJoinsTheQueueOfAKeyNode() throws Exception {
		LockHandle handle = open("sequential").acquire(request(LockMode.EXCLUSIVE));
		LockClient naive = open("naive");
		CompletableFuture<LockHandle> first = naive.acquireAsync(request(LockMode.EXCLUSIVE));
		// It looks at the key node before it joins the queue
		await().atMost(Actor.PATIENCE)
			.untilAsserted(() -> assertThat(this.zk.contenders(KEY)).hasSize(2)
				.allMatch((path) -> path.startsWith(this.zk.keyNode(KEY) + "/")));
		this.zk.awaitWaiting(naive, KEY);
		LockClient sequential = open("sequential");
		CompletableFuture<LockHandle> second = sequential.acquireAsync(request(LockMode.EXCLUSIVE));
		this.zk.awaitWaiting(sequential, KEY);
		handle.release();
		LockHandle next = Actor.get(first);
		assertThat(second).isNotDone();
		next.release();
		Actor.get(second).release();
	}

	@Test
	void aNaiveContenderTakesAnEmptyKeyNodeBySittingDownInIt() throws Exception {
		LockClient naive = open("naive");
		makeKeyNode();
		assertThat(this.zk.servers().nodes(this.zk.keyNode(KEY))).hasSize(1);
		for (boolean once : new boolean[] { true, false }) {
			LockRequest request = request(LockMode.EXCLUSIVE);
			LockHandle handle = once ? OneTry.of(naive, request).orElseThrow() : naive.acquire(request);
			assertThat(this.zk.contenders(KEY)).singleElement().asString().startsWith(this.zk.keyNode(KEY) + "/");
			handle.releaseAsync().join();
		}
	}

	@Test
	void aNaiveContenderTakesTheNameAgainOnceTheKeyNodeIsGone() throws Exception {
		LockClient naive = open("naive");
		makeKeyNode();
		this.zk.delete(this.zk.keyNode(KEY));
		LockHandle handle = naive.acquire(request(LockMode.EXCLUSIVE));
		assertThat(this.zk.contenders(KEY)).containsExactly(this.zk.keyNode(KEY));
		handle.release();
	}

	@Test
	void callersOfBothStrategiesNeverOverlap() {
		ContendingCallers callers = ContendingCallers.between(open("naive"), open("sequential"), open("naive"))
			.threads(2)
			.rounds(15);
		LockMode[] modes = { LockMode.EXCLUSIVE, LockMode.READ, LockMode.EXCLUSIVE, LockMode.WRITE };
		Section section = callers.run((round) -> request(modes[round % modes.length]));
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	@Test
	void callersOfBothStrategiesInOneClientNeverOverlap() {
		ContendingCallers callers = ContendingCallers.between(open("naive"), open("sequential")).threads(2).rounds(15);
		Section section = callers
			.run((round) -> request(LockMode.EXCLUSIVE).strategy((round % 2 == 0) ? "naive" : "sequential"));
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	// Callers who follow each other at once may use one key node all the time: then again
	@Test
	void aKeyNodeThatComesAndGoesDoesNotLetTwoIn() {
		LockClient naive = open("naive");
		LockClient sequential = open("sequential");
		Actor reaper = this.zk.actor();
		Actor contending = this.zk.actor();
		Set<Long> keyNodes = new HashSet<>();
		for (int run = 0; run < 30 && keyNodes.size() < 2; run++) {
			keyNodes.clear();
			ContendingCallers callers = ContendingCallers.between(naive, sequential).threads(1).rounds(40);
			CompletableFuture<Section> outcome = contending
				.call(() -> callers.run((round) -> request(LockMode.EXCLUSIVE)));
			reaper.run(() -> {
				while (!outcome.isDone()) {
					TestServers.Node node = this.zk.servers().nodes(this.zk.keyNode(KEY)).get(this.zk.keyNode(KEY));
					if (node != null && !node.ephemeral()) {
						keyNodes.add(node.czxid());
					}
					this.zk.servers().reapContainers();
				}
			});
			Section section = Actor.get(outcome);
			assertThat(section.violations()).isEmpty();
			assertThat(section.entered()).isEqualTo(callers.entries());
		}
		assertThat(keyNodes).as("key nodes, one after the other").hasSizeGreaterThan(1);
	}

	// A key node that is used again stays.
	private void makeKeyNode() throws InterruptedException {
		LockClient client = open("sequential");
		client.acquire(request(LockMode.EXCLUSIVE)).releaseAsync().join();
		client.acquire(request(LockMode.EXCLUSIVE)).releaseAsync().join();
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).open();
	}

	private static LockRequest request(LockMode mode) {
		return LockRequest.exclusive(KEY).mode(mode);
	}

}
