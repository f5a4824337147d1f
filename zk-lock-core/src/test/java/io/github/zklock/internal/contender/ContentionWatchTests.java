package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a holder learns of the queue behind it.
 */
class ContentionWatchTests {

	private static final String BEHIND = "b-lock-0000000002";

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final AtomicInteger gone = new AtomicInteger();

	private final CompletableFuture<Boolean> contended = new CompletableFuture<>();

	private LockSession session;

	private NodeFacts node;

	private ContentionWatch watch;

	@BeforeEach
	void hold() {
		this.zooKeeper.reset();
		this.session = this.zooKeeper.session(() -> 0, Engines.TIMER);
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, false);
		this.node = terms.newNodes(0).get(0);
		this.node.created(this.node.createPath() + "0000000001");
		this.watch = new ContentionWatch(this.node, this.session, Runnable::run, terms.clientCosts(),
				this.gone::incrementAndGet);
	}

	@Test
	void whoIsAloneIsWatchedFurther() {
		this.watch.whetherContended(this.contended);
		this.zooKeeper.answerChildren(Code.OK, this.node.name());
		assertThat(this.contended).isCompletedWithValue(false);
		assertThat(this.session.watches().count()).isOne();
		assertThat(this.gone).hasValue(0);
	}

	@Test
	void whoWasAloneIsLookedAtAgainBehindAChange() {
		this.watch.whetherContended(this.contended);
		this.zooKeeper.answerChildren(Code.OK, this.node.name());
		String keyNode = this.node.keyNode();
		this.zooKeeper.watcherOf(keyNode)
			.process(new WatchedEvent(EventType.NodeChildrenChanged, KeeperState.SyncConnected, keyNode));
		CompletableFuture<Boolean> next = new CompletableFuture<>();
		this.watch.whetherContended(next);
		assertThat(this.zooKeeper.answerChildren(Code.OK, this.node.name(), BEHIND)).isTrue();
		assertThat(next).isCompletedWithValue(true);
	}

	@Test
	void aListWithoutTheHoldersNodeShowsThatItIsGone() {
		this.watch.whetherContended(this.contended);
		this.zooKeeper.answerChildren(Code.OK, BEHIND);
		assertThat(this.gone).hasValue(1);
		assertThat(this.contended).isCompletedWithValue(true);
		assertThat(this.zooKeeper.removedWatches()).as("nothing of it will change").isOne();
		assertThat(this.session.watches().count()).isZero();
	}

	@Test
	void behindTheEndOfTheHoldersNodeNothingIsWatched() {
		this.watch.stop();
		this.watch.whenContended(new CompletableFuture<>());
		assertThat(this.session.watches().count()).isZero();
	}

	@Test
	@Tag("NodeWatch.I2")
	void whoHasSeenOthersLeavesTheWatchToTheEndOfItsOwnNode() {
		CompletableFuture<Void> others = new CompletableFuture<>();
		this.watch.whenContended(others);
		this.zooKeeper.answerChildren(Code.OK, this.node.name(), BEHIND);
		assertThat(others).isCompleted();
		this.watch.stop();
		assertThat(this.zooKeeper.removedWatches()).isZero();
		assertThat(this.session.watches().count()).isOne();
		CompletableFuture<Boolean> next = new CompletableFuture<>();
		new ContentionWatch(this.node, this.session, Runnable::run, null, this.gone::incrementAndGet)
			.whetherContended(next);
		assertThat(this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)).as("shares it, and looks").isTrue();
	}

}
