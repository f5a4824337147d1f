package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Where the nodes of a lock are, and what is in them.
 */
@Timeout(60)
class NodesTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE, -lock-", "sequential, READ, __READ__", "sequential, WRITE, __WRIT__",
			"naive, READ, __READ__", "naive, WRITE, __WRIT__" })
	void aNodeInAQueueIsNamedAsCuratorNamesIt(String strategy, LockMode mode, String mark) throws Exception {
		try (LockHandle handle = open(strategy).acquire(LockRequest.exclusive(KEY).mode(mode))) {
			assertThat(this.zk.contenders(KEY)).singleElement()
				.asString()
				.matches(this.zk.keyNode(KEY) + "/_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-?" + mark + "[0-9]{10}");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void aNaiveExclusiveLockIsTheNodeOfItsKey() throws Exception {
		try (LockHandle handle = open("naive").acquire(LockRequest.exclusive(KEY))) {
			assertThat(this.zk.contenders(KEY)).containsExactly(this.zk.keyNode(KEY));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void theTokenIsTheTransactionThatMadeTheNode(String strategy) throws Exception {
		try (LockHandle handle = open(strategy).acquire(LockRequest.exclusive(KEY))) {
			long czxid = stat(this.zk.contenders(KEY).get(0)).getCzxid();
			assertThat(handle.fencingToken()).isEqualTo(czxid << 11);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void theTokenOfSeveralKeysIsTheTransactionThatMadeTheirNodes(String strategy) throws Exception {
		try (LockHandle handle = open(strategy).acquire(LockRequest.keys(List.of(KEY, "stock")))) {
			long czxid = stat(this.zk.contenders(KEY).get(0)).getCzxid();
			assertThat(stat(this.zk.contenders("stock").get(0)).getCzxid()).isEqualTo(czxid);
			assertThat(handle.fencingToken()).isEqualTo(czxid << 11);
			assertThat(this.zk.servers().nodes(this.zk.root()).keySet()).noneMatch((path) -> path.contains("stamp"));
		}
	}

	@Test
	void theKeyNodeIsAContainerAndTheRootIsNot() throws Exception {
		LockClient client = open("sequential");
		client.acquire(LockRequest.exclusive(KEY)).releaseAsync().join();
		client.acquire(LockRequest.exclusive(KEY)).releaseAsync().join();
		assertThat(this.zk.servers().nodes(this.zk.keyNode(KEY))).hasSize(1);
		this.zk.reap(this.zk.keyNode(KEY));
		assertThat(stat(this.zk.root()).getEphemeralOwner()).isZero();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void theDataOfANodeSaysWhoHoldsIt(LockMode mode) throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder.application("billing \"west\"").instance("billing-2"))
			.open();
		try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY).mode(mode))) {
			byte[] data = this.zk.curatorOf(client).getData().forPath(this.zk.contenders(KEY).get(0));
			assertThat(new String(data, StandardCharsets.UTF_8)).startsWith("{\"id\":\"")
				.contains("\"application\":\"billing \\\"west\\\"\"", "\"instance\":\"billing-2\"", "\"host\":\"",
						"\"pid\":\"" + ProcessHandle.current().pid() + "\"", "\"thread\":\"", "\"mode\":\"" + mode,
						"\"since\":\"");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "..", ".", "zookeeper", "sch\u00f6n", "\ud83d\ude00", "\u0000", "100%", " " })
	void anyKeyIsOneSegmentBelowTheRoot(String key) throws Exception {
		try (LockHandle handle = open("sequential").acquire(LockRequest.exclusive(key));
				LockHandle naive = open("naive").acquire(LockRequest.exclusive(key + "/naive"))) {
			assertThat(this.zk.servers().nodes(this.zk.root()).values().stream().filter((node) -> node.ephemeral()))
				.allMatch((node) -> node.path().startsWith(this.zk.root() + "/"))
				.extracting((
						node) -> node.path().substring(this.zk.root().length()).chars().filter((c) -> c == '/').count())
				.containsExactlyInAnyOrder(1L, 2L);
			assertThat(handle.key()).isEqualTo(key);
			assertThat(naive.isHeld()).isTrue();
		}
	}

	@Test
	void theNamespaceOfTheConnectionComesBeforeTheRoot() throws Exception {
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder().namespace("shop"),
				this.zk.servers().connectString());
		LockClient client = this.zk.client().curator(curator).open();
		try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(this.zk.servers().nodes("/shop" + this.zk.keyNode(KEY))).hasSize(2);
			assertThat(this.zk.servers().nodes(this.zk.root())).isEmpty();
			assertThat(handle.isHeld()).isTrue();
		}
		finally {
			client.close();
			this.zk.delete("/shop");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void everyNodeHasTheAclThatIsAskedFor(String strategy) throws Exception {
		ACL all = new ACL(ZooDefs.Perms.ALL, ZooDefs.Ids.ANYONE_ID_UNSAFE);
		ACL marked = new ACL(ZooDefs.Perms.READ, new Id("ip", "127.0.0.9"));
		ACLProvider provider = new ACLProvider() {

			@Override
			public List<ACL> getDefaultAcl() {
				return List.of(all, marked);
			}

			@Override
			public List<ACL> getAclForPath(String path) {
				return getDefaultAcl();
			}

		};
		LockClient client = this.zk.client().strategy(strategy).with((builder) -> builder.aclProvider(provider)).open();
		try (LockHandle handle = client.acquire(LockRequest.write(KEY));
				LockHandle plain = client.acquire(LockRequest.exclusive("stock"))) {
			assertThat(this.zk.servers().nodes(this.zk.root()).keySet()).hasSizeGreaterThan(3)
				.allSatisfy((path) -> assertThat(this.zk.curatorOf(client).getACL().forPath(path))
					.containsExactlyInAnyOrder(all, marked));
			assertThat(handle.isHeld()).isTrue();
			assertThat(plain.isHeld()).isTrue();
		}
	}

	@Test
	void isAskedForTheAclsOfTheRootAndOfTheKeyNodesOnly() throws Exception {
		Set<String> asked = ConcurrentHashMap.newKeySet();
		ACLProvider provider = new ACLProvider() {

			@Override
			public List<ACL> getDefaultAcl() {
				return ZooDefs.Ids.OPEN_ACL_UNSAFE;
			}

			@Override
			public List<ACL> getAclForPath(String path) {
				asked.add(path);
				return getDefaultAcl();
			}

		};
		LockClient client = this.zk.client().with((builder) -> builder.aclProvider(provider)).open();
		client.acquire(LockRequest.exclusive(KEY)).release();
		client.acquire(LockRequest.keys(List.of("stock", "prices"))).release();
		String root = this.zk.root();
		assertThat(asked).containsExactlyInAnyOrder(root, root + "/" + KEY, root + "/stock", root + "/prices");
	}

	@Test
	void marksAndAsksHaveTheAclsOfTheirKeyNodesAndTheirParentsThatOfTheRoot() throws Exception {
		String root = this.zk.root();
		Map<String, List<ACL>> known = Map.of(root, marked("127.0.0.8"), this.zk.keyNode(KEY), marked("127.0.0.9"));
		ACLProvider provider = new ACLProvider() {

			@Override
			public List<ACL> getDefaultAcl() {
				throw new IllegalStateException("There is no default");
			}

			@Override
			public List<ACL> getAclForPath(String path) {
				return Optional.ofNullable(known.get(path)).orElseThrow();
			}

		};
		LockClient client = this.zk.client().with((builder) -> builder.aclProvider(provider)).open();
		Queue<WaitingCaller> asks = new ConcurrentLinkedQueue<>();
		try (LockHandle job = client.notAgainWithin(Duration.ofMinutes(10), false)
			.tryAcquire(LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(10)))
			.orElseThrow(); LockInspector inspector = this.zk.inspector(client)) {
			job.onContended(asks::add);
			await().until(() -> !inspector.ask(KEY, "a deployment").isEmpty());
			await().until(() -> !asks.isEmpty());
			CuratorFramework curator = this.zk.curatorOf(client);
			for (String parent : List.of(root + "/%~jobs", root + "/%~asks")) {
				assertThat(curator.getACL().forPath(parent)).containsExactlyInAnyOrderElementsOf(known.get(root));
				String child = parent + "/" + curator.getChildren().forPath(parent).get(0);
				assertThat(curator.getACL().forPath(child))
					.containsExactlyInAnyOrderElementsOf(known.get(this.zk.keyNode(KEY)));
			}
		}
	}

	// Open, and to be recognized
	private static List<ACL> marked(String address) {
		return List.of(new ACL(ZooDefs.Perms.ALL, ZooDefs.Ids.ANYONE_ID_UNSAFE),
				new ACL(ZooDefs.Perms.READ, new Id("ip", address)));
	}

	@Test
	void badSettingsAreRefusedWhenTheClientIsBuilt() {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ZooKeeperLockClient.builder(curator).strategy("chaotic").build())
			.withMessageContaining("chaotic")
			.withMessageContaining("sequential");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ZooKeeperLockClient.builder(curator).root("no-slash").build());
		assertThatIllegalArgumentException().isThrownBy(() -> ZooKeeperLockClient.builder(curator).root("/").build());
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> ZooKeeperLockClient.builder(curator).timeout(Duration.ofMillis(-1)));
		CuratorFramework notStarted = CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.retryPolicy(new RetryOneTime(1))
			.build();
		assertThatIllegalStateException().isThrownBy(() -> ZooKeeperLockClient.builder(notStarted).build())
			.withMessageContaining("started");
	}

	private Stat stat(String path) throws Exception {
		return this.zk.curator(ZooKeeperFixture.SESSION).checkExists().forPath(path);
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).open();
	}

}
