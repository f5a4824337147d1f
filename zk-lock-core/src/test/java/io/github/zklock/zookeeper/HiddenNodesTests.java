package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockInspector.Page;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Nodes of another user below the root, which the inspector may not read.
 */
@Timeout(60)
class HiddenNodesTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private CuratorFramework stranger;

	@BeforeEach
	void connectTheStranger() {
		this.stranger = CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.retryPolicy(new RetryOneTime(50))
			.authorization("digest", "other:secret".getBytes(StandardCharsets.UTF_8))
			.build();
		this.stranger.start();
	}

	@AfterEach
	void deleteAll() throws Exception {
		for (String path : List.of(this.zk.keyNode("other"), this.zk.keyNode("key"))) {
			this.stranger.delete().quietly().deletingChildrenIfNeeded().forPath(path);
		}
		this.stranger.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aKeyNodeThatMayNotBeReadIsLeftOutOfTheViewsWithAWarning(boolean nested) throws Exception {
		ZooKeeperLockClient client = open(nested);
		hide("other/x-lock-0000000000");
		this.zk.announce("may not read 1 key nodes");
		try (LockHandle held = client.acquire(LockRequest.exclusive("key"));
				LockInspector inspector = this.zk.inspector(client)) {
			for (int look = 0; look < 2; look++) {
				Page page = inspector.keys(0, 10);
				assertThat(page.lines()).extracting(LockQueue::key).containsExactly("key");
				assertThat(page.total()).isOne();
				assertThat(inspector.waits().waits()).isEmpty();
			}
			assertThat(this.zk.warnings()).containsOnlyOnce("may not read").contains(this.zk.keyNode("other"));
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void ofKeysWithAnotherPrefixNothingIsReported() throws Exception {
		ZooKeeperLockClient client = (ZooKeeperLockClient) this.zk.client()
			.with((builder) -> builder.nestedKeys(true).keyPrefix("key"))
			.open();
		hide("other/x-lock-0000000000");
		try (LockInspector inspector = this.zk.inspector(client)) {
			assertThat(inspector.keys(0, 10).total()).isZero();
		}
		assertThat(this.zk.warnings()).isEmpty();
	}

	@Test
	void whoAsksForAKeyThatMayNotBeReadIsRefused() throws Exception {
		String node = hide("other/x-lock-0000000000");
		try (LockInspector inspector = this.zk.inspector(open(false))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> inspector.line("other"))
				.withMessageMatching(
						"ZooKeeper refused the inspector at .*/other: KeeperErrorCode = NoAuth for .*/other");
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> inspector.forceRelease("other"))
				.withMessageContaining("NoAuth")
				.withMessageNotContaining("jute.maxbuffer");
		}
		assertThat(this.stranger.checkExists().forPath(node)).isNotNull();
	}

	@Test
	void aLockNodeThatMayNotBeReadIsAHolderAndIsReleased() throws Exception {
		ZooKeeperLockClient client = open(false);
		String keyNode = this.zk.plant(this.zk.keyNode("key"), CreateMode.PERSISTENT);
		String hidden = hide("key/x-lock-0000000000");
		String other = this.zk.plant(keyNode + "/y-lock-0000000001", CreateMode.PERSISTENT);
		try (LockInspector inspector = this.zk.inspector(client)) {
			List<Contender> queue = inspector.keys(0, 10).lines().get(0).contenders();
			assertThat(queue).extracting(Contender::path, Contender::holds)
				.containsExactly(tuple(hidden, true), tuple(other, false));
			assertThat(queue.get(0).description()).isNull();
			assertThat(inspector.waits().waits()).hasSize(1);
			assertThat(inspector.forceRelease("key")).extracting(Contender::path).containsExactly(hidden);
			assertThat(inspector.line("key").contenders()).extracting(Contender::path).containsExactly(other);
		}
	}

	private String hide(String path) throws Exception {
		String node = this.zk.root() + "/" + path;
		this.stranger.create().creatingParentsIfNeeded().withACL(Ids.CREATOR_ALL_ACL, false).forPath(node);
		String keyNode = this.zk.keyNode("other");
		if (node.startsWith(keyNode)) {
			this.stranger.setACL().withACL(Ids.CREATOR_ALL_ACL).forPath(keyNode);
		}
		return node;
	}

	private ZooKeeperLockClient open(boolean nested) {
		return (ZooKeeperLockClient) this.zk.client().with((builder) -> builder.nestedKeys(nested)).open();
	}

}
