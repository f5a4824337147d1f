package io.github.zklock.internal.contender;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client that is far from the servers learns of the writes of others.
 */
class ClientCostsTests {

	private static final long OWN = 0x1111_1111_1111_1111L;

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final ClientCosts costs = new ClientCosts(() -> this.now);

	private LockSession session;

	private long now = Long.MAX_VALUE - 5;

	private long tick;

	@BeforeEach
	void connect() {
		this.zooKeeper.reset();
		this.session = this.zooKeeper.session(() -> this.now += this.tick, Engines.TIMER);
		answersTake(1000);
	}

	private void answersTake(int micros) {
		this.tick = TimeUnit.MICROSECONDS.toNanos(micros);
		for (int i = 0; i < 200; i++) {
			this.session.requests().children("/", null, (code, names, stat) -> {
			});
			this.zooKeeper.answerChildren(Code.OK);
		}
	}

	@Test
	void theLeastThatOthersSayIsTold() {
		NodeFacts node = seen(1, 2, 3);
		assertThat(said(node)).isEqualTo(Long.MAX_VALUE);
		assertThat(answer("3000")).isTrue();
		assertThat(answer("1000")).isTrue();
		assertThat(answer("2000")).isTrue();
		assertThat(said(node)).isEqualTo(1_000_000);
		NodeFacts next = seen(1, 3);
		assertThat(said(next)).as("known").isEqualTo(2_000_000);
		assertThat(answer("1")).as("asked again").isFalse();
	}

	@Test
	void i1WhatAClientSaidIsKnownForAWhile() {
		seen(1);
		answer("1000");
		long at = this.now;
		this.now = at + ClientCosts.LATELY_NANOS - 1;
		assertThat(said(seen(1))).isEqualTo(1_000_000);
		this.now = at + ClientCosts.LATELY_NANOS;
		assertThat(said(seen(1))).as("while it is read again").isEqualTo(1_000_000);
		assertThat(answer("5000")).isTrue();
		assertThat(said(seen(1))).isEqualTo(5_000_000);
	}

	@Test
	void i1AClientIsAskedOnceAndAFewByEachList() {
		seen(1, 1, 1);
		assertThat(answered()).isOne();
		seen(1, 2, 3, 4, 5, 6);
		assertThat(answered()).isEqualTo(ClientCosts.MOST_READ);
		seen(1, 2, 3, 4, 5, 6);
		assertThat(answered()).isOne();
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "NONODE", "NOAUTH", "CONNECTIONLOSS" })
	void i1WhoCouldNotBeReadIsAskedByTheNextList(Code code) {
		seen(1);
		assertThat(this.zooKeeper.answerRead(code)).isTrue();
		NodeFacts node = seen(1);
		assertThat(answer("700")).isTrue();
		assertThat(said(node)).isEqualTo(700_000);
		this.now += ClientCosts.LATELY_NANOS;
		assertThat(said(seen(1))).as("known while it is read again").isEqualTo(700_000);
		assertThat(said(seen(1))).isEqualTo(700_000);
		assertThat(this.zooKeeper.answerRead(code)).isTrue();
		assertThat(said(seen(1))).as("known although it could not be read").isEqualTo(700_000);
		assertThat(answered()).isOne();
	}

	@Test
	void i1WhoSaysNothingIsAskedAgainSoon() {
		seen(1);
		assertThat(this.zooKeeper.answerRead("{}".getBytes(StandardCharsets.UTF_8))).isTrue();
		long at = this.now;
		this.now = at + ClientCosts.SILENT_NANOS - 1;
		assertThat(said(seen(1))).isEqualTo(Long.MAX_VALUE);
		assertThat(answered()).isZero();
		this.now = at + ClientCosts.SILENT_NANOS;
		seen(1);
		assertThat(answered()).isOne();
	}

	@Test
	void ourselvesAndOtherKindsOfClientsAreNotAsked() {
		NodeFacts node = node();
		List<LockNodeName> names = new ArrayList<>();
		names.add(name(new UUID(OWN, 7), 101));
		names.add(name(UUID.randomUUID(), 102));
		names.add(LockNodeName.parse("x-lock-0000000103").orElseThrow());
		names.add(LockNodeName.parse("_c_0-lock-0000000104").orElseThrow());
		names.add(LockNodeName.parse(node.name()).orElseThrow());
		this.costs.seen(NodeQueue.of(names.stream().map(LockNodeName::name).toList()), node, this.session,
				Runnable::run);
		assertThat(answered()).isZero();
	}

	@Test
	void i2TheClientThatWasAskedForLeastLatelyIsForgottenFirst() {
		for (int i = 1; i <= LatestUsed.CAPACITY; i++) {
			seen(i);
			answer("1000");
		}
		seen(1);
		seen(LatestUsed.CAPACITY + 1);
		assertThat(answered()).isOne();
		seen(1);
		assertThat(answered()).as("known").isZero();
		seen(2);
		assertThat(answered()).as("forgotten").isOne();
	}

	@Test
	void ofALongQueueTheNearestAreLookedAt() {
		long[] clients = new long[ClientCosts.MOST_SEEN + 10];
		Arrays.fill(clients, 1);
		clients[ClientCosts.MOST_SEEN] = 2;
		seen(clients);
		assertThat(answered()).isOne();
	}

	@Test
	void whoIsBeforeOursIsNotReadButMayBeKnown() {
		seen(1);
		answer("1000");
		NodeFacts node = node();
		List<String> names = List.of(name(new UUID(1L << 32, 1), 1).name(), name(new UUID(2L << 32, 1), 2).name(),
				node.name());
		this.costs.seen(NodeQueue.of(names), node, this.session, Runnable::run);
		assertThat(said(node)).isEqualTo(1_000_000);
		assertThat(answered()).isZero();
		this.costs.seen(NodeQueue.of(names.subList(0, 2)), node, this.session, Runnable::run);
		assertThat(answered()).as("ours is not there").isZero();
	}

	@Test
	void whoseWritesAreSlowAsksAlsoIfItsReadsAreNot() {
		this.session = this.zooKeeper.session(() -> this.now += this.tick, Engines.TIMER);
		answersTake(100);
		this.tick = 2 * ClientCosts.SLOW_NANOS;
		for (int i = 0; i < 100; i++) {
			this.session.requests().multi(List.of(), (code, results) -> {
			});
			this.zooKeeper.answerTransaction(Code.OK);
		}
		seen(1, 2);
		assertThat(answered()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 100 })
	void whoIsNearAsksNobody(int micros) {
		this.session = this.zooKeeper.session(() -> this.now += this.tick, Engines.TIMER);
		answersTake(micros);
		seen(1, 2);
		assertThat(answered()).isZero();
	}

	// A list of the queue with our node at its beginning
	private NodeFacts seen(long... clients) {
		NodeFacts node = node();
		List<String> names = new ArrayList<>();
		names.add(node.name());
		for (int i = 0; i < clients.length; i++) {
			names.add(name(new UUID(clients[i] << 32, i + 1), 100 + i).name());
		}
		this.costs.seen(NodeQueue.of(names), node, this.session, Runnable::run);
		return node;
	}

	private static NodeFacts node() {
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		NodeFacts node = new NodeFacts("key", "/locks/key", new UUID(OWN, 1).toString(), attempt.mode(), 0, new byte[0],
				false);
		node.created(node.createPath() + "0000000099");
		return node;
	}

	private static LockNodeName name(UUID id, int number) {
		return LockNodeName.parse(LockNodeName.prefix(id.toString(), LockMode.EXCLUSIVE, 0) + "%010d".formatted(number))
			.orElseThrow();
	}

	private boolean answer(String micros) {
		return this.zooKeeper
			.answerRead("{\"id\":\"1\",\"writeMicros\":\"%s\"}".formatted(micros).getBytes(StandardCharsets.UTF_8));
	}

	private int answered() {
		int reads = 0;
		while (answer("1000")) {
			reads++;
		}
		return reads;
	}

	private static long said(NodeFacts node) {
		return node.neighbours().writeNanos();
	}

}
