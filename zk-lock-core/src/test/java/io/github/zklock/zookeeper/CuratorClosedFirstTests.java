package io.github.zklock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The connection is closed, or made anew, before the lock client: the servers delete the
 * nodes when they get that, which may be long before our handle has the answer.
 */
@Timeout(60)
class CuratorClosedFirstTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final AtomicReference<LockHandle> held = new AtomicReference<>();

	private final CompletableFuture<Boolean> heldBeforeTheServersKnow = new CompletableFuture<>();

	private final CompletableFuture<Void> lost = new CompletableFuture<>();

	@BeforeEach
	void connectTheFixture() {
		this.zk.curator(ZooKeeperFixture.SESSION);
		this.zk.announce("was lost: its ZooKeeper session ended");
	}

	private CuratorFramework curator() {
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder()
			.sessionTimeoutMs(6000)
			.zookeeperFactory(new BeforeItCloses(this::look)), this.zk.servers().connectString());
		ZooKeeperFixture.awaitConnected(curator);
		return curator;
	}

	private LockClient client(CuratorFramework curator) {
		return ZooKeeperLockClient.builder(curator).root(this.zk.root()).build();
	}

	@Test
	@Tag("SessionSource.I6")
	void nothingIsHeldAnyMoreWhenTheServersGetToKnow() throws Exception {
		CuratorFramework curator = curator();
		try (LockClient client = client(curator)) {
			hold(client);
			curator.close();
			assertThat(this.heldBeforeTheServersKnow).isCompletedWithValue(false);
			assertThat(this.lost).succeedsWithin(Actor.PATIENCE);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("orders")));
			this.zk.client().open().acquire(LockRequest.exclusive("orders")).release();
		}
	}

	@Test
	@Tag("SessionSource.I6")
	void norOnAClientWithANamespaceOfItsOwn() throws Exception {
		CuratorFramework curator = curator();
		try (LockClient client = client(curator.usingNamespace("within"))) {
			hold(client);
			curator.close();
			assertThat(this.heldBeforeTheServersKnow).isCompletedWithValue(false);
			assertThat(this.lost).succeedsWithin(Actor.PATIENCE);
		}
	}

	@Test
	@Tag("SessionSource.I6")
	void norWhenCuratorMakesANewHandle() throws Exception {
		CuratorFramework curator = curator();
		try (LockClient client = client(curator)) {
			hold(client);
			curator.getZookeeperClient().reset();
			assertThat(this.heldBeforeTheServersKnow).isCompletedWithValue(false);
			assertThat(this.lost).succeedsWithin(Actor.PATIENCE);
			client.acquire(LockRequest.exclusive("stock")).release();
		}
	}

	private void hold(LockClient client) throws InterruptedException {
		LockHandle handle = client.acquire(LockRequest.exclusive("orders"));
		handle.onLost(() -> this.lost.complete(null));
		this.held.set(handle);
	}

	private void look() {
		this.heldBeforeTheServersKnow.complete(this.held.get().isHeld());
	}

}
