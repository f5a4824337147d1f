package io.github.zklock.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.ServerFixture;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What operators see of locks while they change.
 */
@Timeout(120)
class WatchCommandTests {

	@RegisterExtension
	final CliFixture zk = new CliFixture();

	@Test
	void watchPrintsWhatHasChangedUntilItIsInterrupted() throws InterruptedException {
		Background watch = new Background(this.zk.here("watch", "--interval", "10ms"));
		await().atMost(CliFixture.PATIENCE).until(() -> watch.out().contains("nobody holds or waits"));
		LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("a"));
		await().atMost(CliFixture.PATIENCE).until(() -> watch.out().contains("holds  shop-1"));
		held.release();
		await().atMost(CliFixture.PATIENCE).until(() -> watch.out().split("nobody holds or waits", -1).length == 3);
		assertThat(watch.interrupt()).isZero();
		assertThat(watch.out().split("holds  shop-1", -1)).hasSize(2);
	}

	@Test
	void watchGoesOnBehindAnOutageOfWhichItSaysOneLine() throws Exception {
		try (TestServers servers = TestServers.startOne()) {
			Background watch = new Background("watch", "--interval", "10ms", "--connect-string",
					servers.connectString());
			await().atMost(CliFixture.PATIENCE).until(() -> watch.out().contains("nobody holds or waits"));
			servers.stop();
			await().atMost(CliFixture.PATIENCE).until(() -> watch.err().contains("goes on"));
			servers.start();
			CuratorFramework curator = CuratorFrameworkFactory.newClient(servers.connectString(), new RetryOneTime(50));
			curator.start();
			try (curator;
					ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator)
						.timeout(CliFixture.PATIENCE)
						.build();
					LockHandle held = client.acquire(LockRequest.exclusive("a"))) {
				assertThat(held.isHeld()).isTrue();
				await().atMost(CliFixture.PATIENCE).until(() -> watch.out().contains("holds  "));
			}
			await().atMost(CliFixture.PATIENCE).until(() -> watch.out().split("nobody holds or waits", -1).length == 3);
			assertThat(watch.err()).contains("There was no node '/zk-lock'").hasLineCount(2);
			assertThat(watch.interrupt()).isZero();
		}
	}

	@Test
	void watchEndsWhereItMayNotLookAnyMore() throws Exception {
		String keyNode = this.zk.root() + "/a";
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		this.zk.plant(keyNode, CreateMode.PERSISTENT);
		Background watch = new Background(this.zk.here("watch", "a", "--interval", "10ms"));
		await().atMost(CliFixture.PATIENCE).until(() -> watch.out().contains("is free"));
		this.zk.curator(ServerFixture.SESSION)
			.setACL()
			.withACL(List.of(new ACL(ZooDefs.Perms.ADMIN, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
			.forPath(keyNode);
		assertThat(watch.join()).isOne();
		assertThat(watch.err()).contains("NoAuth").hasLineCount(1);
	}

	@Test
	void watchesOneKeyForATime() {
		CliRun watched = this.zk.run("watch", "a", "--for", "50ms", "--interval", "10ms", "--json");
		assertThat(watched.code()).isZero();
		assertThat(watched.json().get(0).get("key").asString()).isEqualTo("a");
		assertThat(watched.out().lines()).hasSize(1);
	}

	@Test
	@Timeout(20)
	void watchesNoLongerThanSomebodyReads() {
		StringWriter err = new StringWriter();
		int code = ZkLockCli.execute(new PrintWriter(new BrokenPipe()), new PrintWriter(err),
				this.zk.here("watch", "--interval", "10ms", "--for", "60s"));
		assertThat(code).as(err.toString()).isZero();
	}

}
