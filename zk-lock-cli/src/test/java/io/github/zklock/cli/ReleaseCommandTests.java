package io.github.zklock.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.testing.ServerFixture;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How operators delete the node of a holder.
 */
@Timeout(120)
class ReleaseCommandTests {

	@RegisterExtension
	final CliFixture zk = new CliFixture();

	@Test
	void releasesTheNodeOfAHolder() throws InterruptedException {
		this.zk.announce("A hold of lock 'a' was lost");
		LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("a"));
		CompletableFuture<Void> lost = new CompletableFuture<>();
		held.onLost(() -> lost.complete(null));
		String node = this.zk.run("show", "a", "--json").json().get("holders").get(0).get("node").asString();
		CliRun released = this.zk.run("release", node);
		assertThat(released.code()).isZero();
		assertThat(released.out()).contains("Released shop-1", node);
		assertThat(this.zk.contenders("a")).isEmpty();
		assertThat(lost).succeedsWithin(CliFixture.PATIENCE);
		assertThat(this.zk.run("release", node).code()).isEqualTo(3);
		held.release();
	}

	@Test
	void releasesANodeThatIsNotShownInALongQueue() throws Exception {
		String keyNode = this.zk.plant(this.zk.keyNode("a"), CreateMode.PERSISTENT);
		List<Op> creates = new ArrayList<>();
		for (int i = 0; i <= 1000; i++) {
			creates.add(Op.create("%s/_c_%d-2000-permit-lock-".formatted(keyNode, i), new byte[0],
					ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL));
		}
		List<OpResult> created = this.zk.curator(ServerFixture.SESSION)
			.getZookeeperClient()
			.getZooKeeper()
			.multi(creates);
		String last = ((OpResult.CreateResult) created.get(1000)).getPath();
		assertThat(this.zk.run("show", "a").out()).doesNotContain(last);
		assertThat(this.zk.run("release", last)).satisfies((run) -> {
			assertThat(run.code()).as(run.err()).isZero();
			assertThat(run.out()).contains("Released", last);
		});
		assertThat(this.zk.contenders("a")).hasSize(1000).doesNotContain(last);
	}

	@Test
	void deletesNoNodeThatWasMadeAfterTheOneThatWasRead() throws Exception {
		ZooKeeperLockClient client = this.zk.client("shop-1");
		CuratorFramework curator = this.zk.curator(ServerFixture.SESSION);
		LockRequest naive = LockRequest.exclusive("a").strategy("naive");
		try (LockInspector inspector = new ZooKeeperLockInspector(client, () -> this.zk.connection(),
				CliFixture.PATIENCE)) {
			LockHandle first = client.acquire(naive);
			LockQueue.Contender read = inspector.line("a").contenders().get(0);
			first.release();
			await().atMost(CliFixture.PATIENCE).until(() -> inspector.line("a").contenders().isEmpty());
			try (LockHandle next = this.zk.client("shop-2").acquire(naive)) {
				assertThat(inspector.line("a").contenders().get(0).path()).isEqualTo(read.path());
				assertThat(ReleaseCommand.delete(curator, read)).isFalse();
				assertThat(inspector.line("a").contenders()).singleElement()
					.satisfies((holder) -> assertThat(holder.token()).isEqualTo(next.fencingToken()));
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void deletesNoNodeThatWasMadeBehindADeleteWhoseAnswerWasLost(boolean answersAgain) throws Exception {
		this.zk.announce("A hold of lock 'a' was lost");
		LockRequest naive = LockRequest.exclusive("a").strategy("naive");
		ZooKeeperLockClient other = this.zk.client("shop-2");
		AtomicReference<LockHandle> next = new AtomicReference<>();
		this.zk.client("shop-1").acquire(naive);
		try (CuratorFramework losing = CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.retryPolicy(new RetryOneTime(50))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new LosingZooKeeper(servers, timeout, watcher,
					answersAgain, () -> next.getAndSet(other.acquire(naive))))
			.build();
				LockInspector inspector = new ZooKeeperLockInspector(other, () -> this.zk.connection(),
						CliFixture.PATIENCE)) {
			losing.start();
			Contender shown = inspector.line("a").contenders().get(0);
			if (answersAgain) {
				assertThat(ReleaseCommand.delete(losing, shown)).isTrue();
			}
			else {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> ReleaseCommand.delete(losing, shown))
					.withMessageContaining("was deleted is not known");
			}
			assertThat(inspector.line("a").contenders()).singleElement()
				.satisfies((holder) -> assertThat(holder.token()).isEqualTo(next.get().fencingToken()));
			next.get().release();
		}
	}

	@Test
	void releasesOnlyTheHolderWithTheTokenThatIsGiven() throws InterruptedException {
		this.zk.announce("A hold of lock 'a' was lost");
		LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("a").strategy("naive"));
		JsonNode holder = this.zk.run("show", "a", "--json").json().get("holders").get(0);
		String node = holder.get("node").asString();
		long token = holder.get("token").asLong();
		CliRun other = this.zk.run("release", node, "--token", Long.toString(token - 256));
		assertThat(other.code()).isEqualTo(3);
		assertThat(other.err()).contains("token");
		assertThat(this.zk.run("show", "a", "--json").json().get("holders")).hasSize(1);
		assertThat(this.zk.run("release", node, "--token", Long.toString(token)).code()).isZero();
		assertThat(this.zk.run("show", "a", "--json").json().get("holders")).isEmpty();
		held.release();
	}

	@Test
	void refusesToReleaseWhatIsNoLockNodeBelowTheRoot() {
		String keyNode = this.zk.plant(this.zk.keyNode("a"), CreateMode.PERSISTENT);
		String outside = this.zk.plant("/outside/_c_x-lock-0000000000", CreateMode.PERSISTENT);
		assertThat(this.zk.run("release", keyNode)).satisfies((run) -> {
			assertThat(run.code()).isEqualTo(1);
			assertThat(run.err()).startsWith("Refused");
		});
		assertThat(this.zk.run("release", outside).err()).contains("not below the root");
		assertThat(this.zk.run("release", this.zk.root()).code()).isEqualTo(1);
		assertThat(this.zk.run("release", keyNode + "/").err()).startsWith("Refused").contains("is no path");
		assertThat(this.zk.servers().nodes("/outside")).containsKey(outside);
		assertThat(this.zk.servers().nodes(this.zk.root())).containsKey(keyNode);
	}

	/**
	 * Loses the answer to its first delete, and is connected to a server then that has
	 * not seen it until a transaction was made.
	 */
	private static final class LosingZooKeeper extends ZooKeeper {

		private final boolean answersAgain;

		private final Callable<?> meanwhile;

		private Stat before;

		private boolean isLate;

		LosingZooKeeper(String servers, int timeout, Watcher watcher, boolean answersAgain, Callable<?> meanwhile)
				throws IOException {
			super(servers, timeout, watcher);
			this.answersAgain = answersAgain;
			this.meanwhile = meanwhile;
		}

		@Override
		public Stat exists(String path, Watcher watcher) throws KeeperException, InterruptedException {
			return this.isLate ? this.before : super.exists(path, watcher);
		}

		@Override
		public List<OpResult> multi(Iterable<Op> ops) throws InterruptedException, KeeperException {
			if (this.before != null && !this.answersAgain) {
				throw new KeeperException.ConnectionLossException();
			}
			this.isLate = false;
			return super.multi(ops);
		}

		@Override
		public void delete(String path, int version) throws InterruptedException, KeeperException {
			Stat deleted = super.exists(path, null);
			super.delete(path, version);
			if (this.before == null) {
				this.before = deleted;
				this.isLate = true;
				try {
					this.meanwhile.call();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
				throw new KeeperException.ConnectionLossException();
			}
		}

	}

}
