package io.github.zklock.zookeeper;

import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.HeldAnswers;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A callback of others that share the connection keeps ZooKeeper's event thread, so that
 * all events come late.
 */
@Timeout(60)
class HeldEventThreadTests {

	private static final String KEY = "orders";

	private static final LockRequest REQUEST = LockRequest.exclusive(KEY);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private HeldAnswers answers;

	@BeforeEach
	void connectTheOperator() {
		ZooKeeperFixture.awaitConnected(this.zk.curator(ZooKeeperFixture.SESSION));
	}

	@AfterEach
	void letItGoOn() {
		if (this.answers != null) {
			this.answers.close();
		}
	}

	@ParameterizedTest
	@Tag("LockNode.I1")
	@ValueSource(booleans = { false, true })
	void aReleaseSparesTheNodeOfTheNextHolderAlthoughNoEventHasCome(boolean connectionLost) throws Exception {
		this.zk.announce("was lost");
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		LockClient client = this.zk.client().strategy("naive").curator(curator).open();
		LockHandle handle = client.acquire(REQUEST);
		this.zk.awaitWaiting(client, KEY);
		ZooKeeper zooKeeper = curator.getZookeeperClient().getZooKeeper();
		this.answers = new HeldAnswers(zooKeeper).await();
		if (connectionLost) {
			connections().closeSession(zooKeeper.getSessionId(), DisconnectReason.CONNECTION_CLOSE_FORCED);
		}
		this.zk.delete(this.zk.keyNode(KEY));
		LockHandle next = this.zk.client().strategy("naive").open().acquire(REQUEST);
		await().atMost(Actor.PATIENCE).until(() -> isConnected(zooKeeper));
		CompletableFuture<Void> released = handle.releaseAsync();
		this.answers.close();
		assertThat(released).succeedsWithin(Actor.PATIENCE);
		assertThat(this.zk.contenders(KEY)).as("the node of the next holder").containsExactly(this.zk.keyNode(KEY));
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	private ServerCnxnFactory connections() {
		return this.zk.servers().running().get(0).getServerCnxnFactory();
	}

	private boolean isConnected(ZooKeeper zooKeeper) {
		for (ServerCnxn connection : connections().getConnections()) {
			if (connection.getSessionId() == zooKeeper.getSessionId()) {
				return zooKeeper.getState() == ZooKeeper.States.CONNECTED;
			}
		}
		return false;
	}

}
