package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Nodes that others have made, in a node where a client may make none: a server checks
 * that right before it looks whether the node is there.
 */
@Timeout(60)
class LimitedRightsTests {

	private static final int NO_CREATE = Perms.ALL & ~Perms.CREATE;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private ZooKeeperLockClient client;

	private CuratorFramework operator;

	private String root;

	@BeforeEach
	void makeTheRoot() throws Exception {
		this.root = this.zk.root() + "/locks";
		this.client = (ZooKeeperLockClient) this.zk.client()
			.root(this.root)
			.with((builder) -> builder.nestedKeys(true))
			.open();
		this.operator = this.zk.curatorOf(this.client);
		this.operator.create().creatingParentsIfNeeded().forPath(this.root);
	}

	@AfterEach
	void deleteAll() throws Exception {
		this.zk.awaitNothingLeftOf(this.client);
		for (String path : this.zk.servers().nodes(this.zk.root()).keySet()) {
			this.operator.setACL().withACL(Ids.OPEN_ACL_UNSAFE).forPath(path);
		}
		this.zk.delete(this.root);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aRootThatIsThereMayBeInANodeWhereNoneMayBeMade(String strategy) throws Exception {
		allow(NO_CREATE, this.zk.root());
		acquire(LockRequest.exclusive("a/b/c").strategy(strategy));
		acquire(LockRequest.keys(List.of("x/1", "y/1")).strategy(strategy));
		acquire(LockRequest.exclusive("plain").strategy(strategy));
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aNodeBetweenThatIsThereMayBeInARootWhereNoneMayBeMade(String strategy) throws Exception {
		this.zk.plant(this.root + "/billing", CreateMode.PERSISTENT);
		allow(NO_CREATE, this.root);
		acquire(LockRequest.exclusive("billing/eu/1").strategy(strategy));
		acquire(LockRequest.keys(List.of("billing/us/1", "billing/asia/1")).strategy(strategy));
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aKeyNodeThatIsThereMayBeInARootWhereNoneMayBeMade(String strategy) throws Exception {
		for (String key : List.of("one", "other")) {
			this.zk.plant(this.root + "/" + key, CreateMode.PERSISTENT);
		}
		allow(NO_CREATE, this.root);
		acquire(LockRequest.exclusive("one").strategy(strategy));
		acquire(LockRequest.keys(List.of("one", "other")).strategy(strategy));
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aKeyNodeThatIsMissingIsRefused(String strategy) throws Exception {
		this.zk.plant(this.root + "/one", CreateMode.PERSISTENT);
		allow(NO_CREATE, this.root);
		refused(LockRequest.keys(List.of("one", "missing")).strategy(strategy), this.root);
		refused(LockRequest.exclusive("missing").strategy(strategy), this.root);
		refused(LockRequest.exclusive("missing/1").strategy(strategy), this.root);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aMissingRootIsRefusedWhereNoneMayBeMade(String strategy) throws Exception {
		this.zk.delete(this.root);
		allow(NO_CREATE, this.zk.root());
		refused(LockRequest.exclusive("a/b/c").strategy(strategy), this.root);
		refused(LockRequest.exclusive("plain").strategy(strategy), this.root);
		allow(Perms.ALL, this.zk.root());
		acquire(LockRequest.exclusive("plain").strategy(strategy));
	}

	@Test
	void aTryNamesTheNodeThatItMayNotRead() throws Exception {
		for (String key : List.of("one", "other")) {
			this.zk.plant(this.root + "/" + key, CreateMode.PERSISTENT);
		}
		allow(Perms.ALL & ~Perms.READ, this.root + "/other");
		for (String strategy : List.of("sequential", "naive")) {
			for (LockRequest request : List.of(LockRequest.exclusive("other"),
					LockRequest.keys(List.of("one", "other")))) {
				LockRequest once = request.strategy(strategy).timeout(Duration.ZERO);
				await("an answer in time").untilAsserted(() -> refused(once, this.root + "/other: "));
			}
		}
	}

	private void allow(int rights, String path) throws Exception {
		this.operator.setACL().withACL(List.of(new ACL(rights, Ids.ANYONE_ID_UNSAFE))).forPath(path);
	}

	private void acquire(LockRequest request) throws Exception {
		try (LockHandle handle = this.client.acquire(request)) {
			assertThat(handle.isHeld()).isTrue();
		}
	}

	private void refused(LockRequest request, String path) {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.client.acquire(request))
			.withMessageContaining(" at %s", path)
			.withMessageContaining("NoAuth");
	}

}
