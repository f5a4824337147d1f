package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a look at newcomers leaves behind. The client that looks holds nothing, so that it
 * watches nothing else.
 */
@Timeout(60)
class NewcomerWatchTests {

	private static final String KEY_NODE = "/locks/orders";

	private static final String NEWCOMER = "x-lock-0000000000";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();

	private SessionSource source() {
		SessionSource source = ((ZooKeeperLockClient) this.zk.client().session(Duration.ofMinutes(5)).open()).parts()
			.source();
		await().until(() -> source.current() != null);
		return source;
	}

	@Test
	void ofMoreNewcomersThanAreReadAtOnceTheOthersAreReportedBehindTheNextLook() {
		SessionSource source = source();
		for (int i = 0; i < 150; i++) {
			this.zk.plant(this.zk.keyNode("orders") + "/x-lock-%010d".formatted(i), CreateMode.PERSISTENT);
		}
		ContentionSource.Observer observer = new ZooKeeperContention(source).observe("orders");
		observer.look(LockMode.EXCLUSIVE, this.seen::addAll);
		await().until(() -> this.seen.size() == 100);
		await().until(() -> {
			observer.look(LockMode.EXCLUSIVE, this.seen::addAll);
			return this.seen.size() >= 150;
		});
		assertThat(this.seen).hasSize(150);
		observer.leave();
	}

	@Test
	void i2ANewcomerThatCouldNotBeReadIsReadBehindTheNextLook() {
		NewcomerWatch watch = played();
		watch.look(LockMode.EXCLUSIVE, this.seen::addAll);
		assertThat(this.zooKeeper.answerChildren(Code.OK, NEWCOMER)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.CONNECTIONLOSS)).isTrue();
		watch.look(LockMode.EXCLUSIVE, this.seen::addAll);
		assertThat(this.zooKeeper.answerChildren(Code.OK, NEWCOMER)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.seen).hasSize(1);
		watch.leave();
	}

	@Test
	void i2OneThatIsGoneIsNotKnownAnyMore() {
		NewcomerWatch watch = played();
		watch.look(LockMode.EXCLUSIVE, this.seen::addAll);
		assertThat(this.zooKeeper.answerChildren(Code.OK, NEWCOMER)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		lookAfterAChange(watch);
		assertThat(this.zooKeeper.answerChildren(Code.OK)).isTrue();
		lookAfterAChange(watch);
		assertThat(this.zooKeeper.answerChildren(Code.OK, NEWCOMER)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("it is new again").isTrue();
		watch.leave();
	}

	private NewcomerWatch played() {
		this.zooKeeper.reset();
		LockSession session = this.zooKeeper.session(() -> 0, Engines.TIMER);
		return new NewcomerWatch(session, KEY_NODE, new WaiterDescription(Engines.source().identity(), "orders"));
	}

	private void lookAfterAChange(NewcomerWatch watch) {
		this.zooKeeper.watcherOf(KEY_NODE)
			.process(new WatchedEvent(EventType.NodeChildrenChanged, KeeperState.SyncConnected, KEY_NODE));
		watch.look(LockMode.EXCLUSIVE, this.seen::addAll);
	}

	@Test
	void i3WhoHasLeftWatchesNothingAndReportsNobody() throws Exception {
		LockHandle handle = this.zk.client().strategy("sequential").open().acquire(LockRequest.exclusive("orders"));
		SessionSource source = source();
		ContentionSource.Observer observer = new ZooKeeperContention(source).observe("orders");
		observer.look(LockMode.EXCLUSIVE, this.seen::addAll);
		await().untilAsserted(() -> assertThat(this.seen).hasSize(1));
		assertThat(source.current().watches().count()).isEqualTo(1);
		observer.leave();
		await().until(() -> source.current().watches().count() == 0);
		handle.releaseAsync().join();
		LockHandle next = this.zk.client().strategy("sequential").open().acquire(LockRequest.exclusive("orders"));
		observer.look(LockMode.EXCLUSIVE, this.seen::addAll);
		assertThat(source.current().watches().count()).isZero();
		assertThat(this.seen).hasSize(1);
		next.release();
	}

}
