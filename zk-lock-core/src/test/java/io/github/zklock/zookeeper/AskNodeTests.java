package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockPaths;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The node by which a holder can be asked.
 */
@Timeout(60)
class AskNodeTests {

	private static final String OPS = "\"application\":\"cli\",\"instance\":\"ops\",\"host\":\"b2\",\"pid\":\"7\"}";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();

	private LockClient client;

	private CuratorFramework curator;

	private SessionSource source;

	private AskNode node;

	@BeforeEach
	void make() throws InterruptedException {
		this.client = this.zk.client().session(Duration.ofMinutes(5)).open();
		this.curator = this.zk.curatorOf(this.client);
		this.source = ((ZooKeeperLockClient) this.client).parts().source();
		this.client.acquire(LockRequest.exclusive("orders")).releaseAsync().join();
		this.node = new AskNode(this.source.current(), this.source, "orders");
	}

	private void look() {
		this.node.look(LockMode.READ, this.seen::addAll);
	}

	private List<String> names() throws Exception {
		String parent = this.source.paths().asks();
		return (this.curator.checkExists().forPath(parent) != null) ? this.curator.getChildren().forPath(parent)
				: List.of();
	}

	private void awaitNames(int count) {
		await().until(() -> names().size() == count);
	}

	private String path() throws Exception {
		return this.source.paths().asks() + "/" + names().get(0);
	}

	private void ask(String id) throws Exception {
		this.curator.setData()
			.forPath(path(), ("{\"id\":\"1\",\"ask\":\"" + id + "\",\"reason\":\"why\"," + OPS)
				.getBytes(StandardCharsets.UTF_8));
	}

	private HolderNote note() throws Exception {
		return HolderNote.parse(new String(this.curator.getData().forPath(path()), StandardCharsets.UTF_8));
	}

	@Test
	void aShortHoldHasNone() throws Exception {
		look();
		this.node.leave();
		look();
		look();
		assertThat(names()).isEmpty();
	}

	@Test
	void i1WhoHasLeftHasNoNodeAlsoIfItIsMadeMeanwhile() {
		look();
		look();
		this.node.leave();
		awaitNames(0);
		await().during(Duration.ofMillis(300)).until(() -> names().isEmpty());
		assertThat(this.source.current().watches().count()).isZero();
	}

	@Test
	void i1ANodeThatIsThereIsDeleted() {
		look();
		look();
		awaitNames(1);
		assertThat(this.source.current().trackedCount()).as("kept in mind until it is gone").isOne();
		this.node.leave();
		awaitNames(0);
		await().until(() -> this.source.current().watches().count() == 0);
		await().until(() -> this.source.current().trackedCount() == 0);
	}

	@Test
	void i2EachAskIsReportedOnceAndAnswered() throws Exception {
		look();
		look();
		awaitNames(1);
		assertThat(LockPaths.isKeyNode("%~asks")).isFalse();
		await().until(() -> this.source.current().watches().count() == 1);
		assertThat(note().ask()).isNull();
		ask("first");
		awaitSeen(1);
		await().until(() -> note().noticed());
		assertThat(note().ask()).isEqualTo("first");
		assertThat(this.seen.element())
			.isEqualTo(new WaitingCaller("orders", LockMode.READ, "ops", "b2", "7", null, null, "why"));
		ask("second");
		awaitSeen(2);
		await().until(() -> note().noticed());
		look();
		assertThat(this.seen).hasSize(2);
		this.node.leave();
		awaitNames(0);
	}

	@Test
	void whoIsInterruptedWhileItAsksStaysSo() throws Exception {
		look();
		look();
		awaitNames(1);
		Actor operator = this.zk.actor();
		CompletableFuture<Boolean> interrupted = operator.call(() -> {
			try (LockInspector inspector = this.zk.inspector(this.client)) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> inspector.ask("orders", "why"));
				return Thread.interrupted();
			}
		});
		await().until(() -> note().ask() != null);
		operator.interrupt();
		assertThat(interrupted).succeedsWithin(Actor.PATIENCE).isEqualTo(true);
		this.node.leave();
		awaitNames(0);
	}

	private void awaitSeen(int count) {
		await().until(() -> {
			look();
			return this.seen.size() >= count;
		});
		assertThat(this.seen).hasSize(count);
	}

	@Test
	void i1NeitherALostCreateNorALostDeleteLeavesANode() {
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		AskNode lost = played(zooKeeper);
		lost.look(LockMode.READ, this.seen::addAll);
		lost.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerCreate(Code.CONNECTIONLOSS)).isTrue();
		lost.leave();
		assertThat(zooKeeper.answerDelete(Code.OK)).isFalse();
		assertThat(zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(zooKeeper.answerCreate(Code.NODEEXISTS)).isTrue();
		assertThat(zooKeeper.answerDelete(Code.CONNECTIONLOSS)).isTrue();
		assertThat(zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(zooKeeper.answerDelete(Code.NONODE)).isTrue();
		assertThat(zooKeeper.answerTransaction(Code.OK)).isFalse();
	}

	@Test
	void i1ADeleteThatCouldNotBeSentIsSentLater() {
		this.zk.announce("A step of AskNode failed");
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		zooKeeper.reset();
		LockSession session = playedSession(zooKeeper, this.source.timer());
		AskNode left = new AskNode(session, this.source, "orders");
		left.look(LockMode.READ, this.seen::addAll);
		left.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerCreate(Code.OK)).isTrue();
		zooKeeper.onDelete(() -> {
			throw new IllegalStateException("planted");
		});
		left.leave();
		zooKeeper.onDelete(() -> {
		});
		await().until(() -> zooKeeper.answerTransaction(Code.OK));
		assertThat(zooKeeper.answerDelete(Code.OK)).isTrue();
		assertThat(session.trackedCount()).isZero();
	}

	@Test
	void i1ADeleteThatIsRefusedIsRepeated() {
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		zooKeeper.reset();
		LockSession session = playedSession(zooKeeper, this.source.timer());
		AskNode left = new AskNode(session, this.source, "orders");
		left.look(LockMode.READ, this.seen::addAll);
		left.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerCreate(Code.OK)).isTrue();
		left.leave();
		assertThat(zooKeeper.answerDelete(Code.NOAUTH)).isTrue();
		assertThat(session.trackedCount()).isOne();
		await().until(() -> zooKeeper.answerDelete(Code.OK));
		assertThat(session.trackedCount()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void i1ACreateThatIsRefusedBehindALostAnswerMayHaveMadeTheNode(boolean leftBefore) {
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		LockSession session = playedSession(zooKeeper, Engines.TIMER);
		AskNode lost = lostBehindTheBarrier(zooKeeper, session);
		if (leftBefore) {
			lost.leave();
		}
		assertThat(zooKeeper.answerCreate(Code.NOAUTH)).isTrue();
		lost.leave();
		assertThat(session.trackedCount()).isOne();
		assertThat(zooKeeper.answerDelete(Code.NONODE)).isTrue();
		assertThat(session.trackedCount()).isZero();
	}

	private AskNode lostBehindTheBarrier(HandPlayedZooKeeper zooKeeper, LockSession session) {
		zooKeeper.reset();
		AskNode lost = new AskNode(session, this.source, "orders");
		lost.look(LockMode.READ, this.seen::addAll);
		lost.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerCreate(Code.CONNECTIONLOSS)).isTrue();
		assertThat(zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		return lost;
	}

	@Test
	void oneThatIsRefusedBehindALostAnswerAndIsNotThereIsForgotten() {
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		LockSession session = playedSession(zooKeeper, Engines.TIMER);
		AskNode lost = lostBehindTheBarrier(zooKeeper, session);
		assertThat(zooKeeper.answerCreate(Code.NOAUTH)).isTrue();
		assertThat(zooKeeper.answerRead(Code.NONODE)).isTrue();
		assertThat(session.trackedCount()).isZero();
		lost.leave();
		assertThat(zooKeeper.answerDelete(Code.OK)).isFalse();
	}

	@Test
	void i2ALostAnswerIsRepeatedAndTheAskIsReportedOnce() {
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		AskNode asked = played(zooKeeper);
		asked.look(LockMode.READ, this.seen::addAll);
		asked.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerCreate(Code.OK)).isTrue();
		byte[] ask = ("{\"id\":\"1\",\"ask\":\"one\"," + OPS).getBytes(StandardCharsets.UTF_8);
		assertThat(zooKeeper.answerRead(ask)).isTrue();
		assertThat(this.seen).hasSize(1);
		assertThat(zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("what says that it is noticed").isTrue();
		asked.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerRead(ask)).isTrue();
		assertThat(zooKeeper.answerTransaction(Code.OK)).as("the same again").isTrue();
		assertThat(this.seen).hasSize(1);
	}

	@Test
	void i2WhatWasNoticedIsNotAnsweredAgain() {
		HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;
		AskNode asked = played(zooKeeper);
		asked.look(LockMode.READ, this.seen::addAll);
		asked.look(LockMode.READ, this.seen::addAll);
		assertThat(zooKeeper.answerCreate(Code.OK)).isTrue();
		byte[] noticed = ("{\"id\":\"1\",\"ask\":\"one\",\"noticed\":\"true\"," + OPS).getBytes(StandardCharsets.UTF_8);
		assertThat(zooKeeper.answerRead(noticed)).isTrue();
		assertThat(zooKeeper.pendingTransactions()).isZero();
		assertThat(this.seen).isEmpty();
	}

	@Test
	void nothingIsKeptInMindOfOneThatCouldNotBeMade() {
		this.zk.announce("A step of AskNode failed");
		AtomicInteger asked = new AtomicInteger();
		ZooKeeperLockClient client = (ZooKeeperLockClient) this.zk.client()
			.with((builder) -> builder.aclProvider(new DefaultACLProvider() {

				@Override
				public List<ACL> getAclForPath(String path) {
					if (path.equals(AskNodeTests.this.zk.root())) {
						asked.incrementAndGet();
						throw new IllegalStateException("planted");
					}
					return super.getAclForPath(path);
				}

			}))
			.open();
		SessionSource refused = client.parts().source();
		await().until(() -> refused.current() != null);
		AskNode one = new AskNode(refused.current(), refused, "orders");
		one.look(LockMode.READ, this.seen::addAll);
		one.look(LockMode.READ, this.seen::addAll);
		await().until(() -> asked.get() > 0);
		await().until(() -> refused.current().trackedCount() == 0);
	}

	private AskNode played(HandPlayedZooKeeper zooKeeper) {
		zooKeeper.reset();
		return new AskNode(playedSession(zooKeeper, Engines.TIMER), this.source, "orders");
	}

	private static LockSession playedSession(HandPlayedZooKeeper zooKeeper, Timer timer) {
		return zooKeeper.session(() -> 0, timer);
	}

	@Test
	void aNodeThatAnOperatorHasDeletedIsMadeAgain() throws Exception {
		look();
		look();
		awaitNames(1);
		await().until(() -> this.source.current().watches().count() == 1);
		this.curator.delete().forPath(path());
		await().until(() -> {
			look();
			return names().size() == 1;
		});
		this.node.leave();
		awaitNames(0);
	}

}
