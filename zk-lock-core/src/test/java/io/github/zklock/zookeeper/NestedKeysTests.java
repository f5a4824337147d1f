package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Keys that are paths, as Curator's users have them.
 */
@Timeout(60)
class NestedKeysTests {

	private static final Duration SHORT = Duration.ofMillis(500);

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	// The nodes between the root and a key are reaped as the key's is, from below
	@AfterEach
	void reapAll() {
		String root = this.zk.root();
		List<String> nodes = List.copyOf(this.zk.servers().nodes(root).keySet());
		nodes.stream().filter((path) -> !path.equals(root)).forEach(this.zk::reap);
	}

	@Test
	void curatorsMutexOfANestedPathIsExcludedAndExcludes() throws Exception {
		ZooKeeperLockClient client = open("");
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		InterProcessMutex mutex = new InterProcessMutex(curator, this.zk.root() + "/orders/eu/42");
		try (LockHandle handle = client.acquire(LockRequest.exclusive("orders/eu/42"))) {
			assertThat(mutex.acquire(100, TimeUnit.MILLISECONDS)).isFalse();
			assertThat(handle.isHeld()).isTrue();
		}
		mutex.acquire();
		InVain.of(() -> client.acquire(LockRequest.exclusive("orders/eu/42").timeout(SHORT)));
		client.acquire(LockRequest.exclusive("orders/eu/43")).release();
		mutex.release();
		client.acquire(LockRequest.exclusive("orders/eu/42")).release();
	}

	@Test
	void curatorsReadWriteLockOfANestedPathIsMetToo() throws Exception {
		ZooKeeperLockClient client = open("");
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		InterProcessReadWriteLock lock = new InterProcessReadWriteLock(curator, this.zk.root() + "/orders/42");
		lock.readLock().acquire();
		try (LockHandle reader = client.acquire(LockRequest.read("orders/42"))) {
			ZooKeeperLockClient writer = open("");
			InVain.of(() -> writer.acquire(LockRequest.write("orders/42").timeout(SHORT)));
			assertThat(reader.isHeld()).isTrue();
		}
		lock.readLock().release();
		client.acquire(LockRequest.write("orders/42")).release();
	}

	@Test
	void aKeyWithALongSegmentIsSeenBehindAPrefixThatIsAPath() throws Exception {
		ZooKeeperLockClient client = open("shop/zookeeper/eu-");
		String key = "x".repeat(300);
		try (LockHandle handle = client.acquire(LockRequest.exclusive(key));
				ZooKeeperLockInspector inspector = this.zk.inspector(client)) {
			assertThat(inspector.keys(0, 10).total()).isOne();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/billing/", "billing//", "/", "x-lock-0000000001/" })
	void aPrefixThatCannotBeAPathIsRefusedAtOnce(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> open(prefix))
			.withMessageContaining("The prefix of the keys, '" + prefix + "', cannot be a path");
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void whatIsMissingOnTheWayIsMade(LockMode mode) throws Exception {
		ZooKeeperLockClient client = open("");
		for (int i = 0; i < 3; i++) {
			LockRequest request = LockRequest.exclusive("a/b/c").mode(mode);
			try (LockHandle handle = client.acquire(request);
					LockHandle naive = client.acquire(LockRequest.exclusive("d/e/f").mode(mode).strategy("naive"));
					LockHandle several = client.acquire(LockRequest.keys(List.of("x/1", "x/2", "y/1")).mode(mode))) {
				assertThat(handle.isHeld() && naive.isHeld() && several.isHeld()).isTrue();
			}
			this.zk.awaitNothingLeftOf(client);
		}
	}

	@Test
	void whatIsMissingOnTheWayToOneOfSeveralKeysWithoutANumberIsMade() throws Exception {
		ZooKeeperLockClient client = open("");
		client.acquire(LockRequest.read("plain").and(LockRequest.exclusive("a/1")).strategy("naive")).release();
		client.acquire(LockRequest.exclusive("queued")).release();
		client.acquire(LockRequest.exclusive("queued")).release();
		client.acquire(LockRequest.keys(List.of("queued", "b/1")).strategy("naive")).release();
	}

	@Test
	void aKeyAndOneBelowItAreTwoKeys() throws Exception {
		ZooKeeperLockClient client = open("");
		try (LockHandle upper = client.acquire(LockRequest.exclusive("orders"));
				LockHandle lower = client.acquire(LockRequest.exclusive("orders/42"))) {
			assertThat(upper.isHeld() && lower.isHeld()).isTrue();
			ZooKeeperLockClient other = open("");
			InVain.of(() -> other.acquire(LockRequest.exclusive("orders").timeout(SHORT)));
		}
		client.acquire(LockRequest.exclusive("orders")).release();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, orders, orders/42", "naive, orders, orders/42", "naive, orders/42, orders" })
	void aKeyAndOneBelowItAreTakenTogether(String strategy, String one, String other) throws Exception {
		ZooKeeperLockClient client = open("");
		LockRequest both = LockRequest.keys(List.of(one, other)).strategy(strategy);
		client.acquire(LockRequest.exclusive("plain")).releaseAsync().join();
		long packets = this.zk.packetsAtRest();
		client.acquire(both).releaseAsync().join();
		assertThat(this.zk.servers().packetsReceived() - packets).isLessThan(40);
	}

	@ParameterizedTest
	@CsvSource({ "sequential, orders/42", "naive, orders/42", "sequential, orders/eu/42", "naive, orders/eu/42" })
	void whoHoldsAKeyWithoutANumberKeepsOthersOutOfAllKeysBelowIt(String strategy, String below) throws Exception {
		LockHandle upper = open("").acquire(LockRequest.exclusive("orders").strategy("naive"));
		ZooKeeperLockClient client = open("");
		for (LockRequest request : List.of(LockRequest.exclusive(below), LockRequest.keys(List.of("plain", below)))) {
			assertThat(OneTry.of(client, request.strategy(strategy))).isEmpty();
			InVain.of(() -> client.acquire(request.strategy(strategy).timeout(SHORT)),
					(ex) -> assertThat(ex).hasMessageContaining("pid " + ProcessHandle.current().pid()));
		}
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(below).strategy(strategy));
		this.zk.awaitWaiting(client, "orders");
		assertThat(waiting).isNotDone();
		upper.release();
		Actor.get(waiting).release();
		this.zk.awaitNothingLeftOf(client);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void anEphemeralRootIsNoKeyAndIsRefused(String strategy) {
		String root = this.zk.plant(this.zk.root(), CreateMode.EPHEMERAL);
		LockRequest request = LockRequest.exclusive("orders/42").strategy(strategy);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> open("").acquire(request))
			.withMessageContaining("NoChildrenForEphemerals for " + root);
		this.zk.delete(root);
	}

	@Test
	void theInspectorFindsNestedKeys() throws Exception {
		ZooKeeperLockClient client = open("shop:");
		this.zk.announce("was lost");
		try (LockHandle handle = client.acquire(LockRequest.keys(List.of("plain", "a/b", "a/b/c d/%")));
				LockHandle others = open("").acquire(LockRequest.exclusive("a/b"));
				LockInspector inspector = this.zk.inspector(client)) {
			assertThat(inspector.keys(0, 10).lines()).extracting(LockQueue::key)
				.containsExactlyInAnyOrder("plain", "a/b", "a/b/c d/%");
			inspector.forceRelease("a/b/c d/%");
			assertThat(handle.isHeld()).isFalse();
			assertThat(others.isHeld()).isTrue();
		}
	}

	@Test
	void aNodeOfAClientWhoseKeysAreNotNestedIsNotTakenForAPath() throws Exception {
		ZooKeeperLockClient client = open("");
		try (LockHandle flat = this.zk.client().session(LONG_SESSION).open().acquire(LockRequest.exclusive("a/b"));
				LockInspector inspector = this.zk.inspector(client)) {
			assertThat(inspector.keys(0, 10).lines()).extracting(LockQueue::key).containsExactly("a%2Fb");
			try (LockHandle nested = client.acquire(LockRequest.keys(List.of("a/b", "a%2Fb")))) {
				assertThat(inspector.keys(0, 10).lines()).extracting(LockQueue::key)
					.containsExactlyInAnyOrder("a/b", "a%2Fb", "a%2Fb");
				assertThat(inspector.line("a/b").contenders()).extracting(LockQueue.Contender::path)
					.containsExactlyElementsOf(this.zk.contenders("a/b"));
				assertThat(flat.isHeld() && nested.isHeld()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a//b", "/a", "a/", "/", "a/x-lock-0000000001/b" })
	void whatCannotBeAPathIsRefused(String key) {
		ZooKeeperLockClient client = open("");
		assertThatIllegalArgumentException().isThrownBy(() -> client.acquire(LockRequest.exclusive(key)))
			.withMessageContaining("'%s' cannot be a path, as zk-lock.nested-keys wants it", key);
	}

	@ParameterizedTest
	@CsvSource({ "'', 32", "x/y:, 31" })
	void aKeyWithMoreSegmentsThanTheLimitIsRefusedBeforeAnythingIsSent(String prefix, int most) throws Exception {
		ZooKeeperLockClient client = open(prefix);
		client.acquire(LockRequest.exclusive("a/".repeat(most - 1) + "b")).releaseAsync().join();
		long packets = this.zk.packetsAtRest();
		String key = "a/".repeat(most) + "b";
		assertThatIllegalArgumentException().isThrownBy(() -> client.acquire(LockRequest.exclusive(key)))
			.withMessageContaining("cannot be a path, as zk-lock.nested-keys wants it: it has 33 segments with its"
					+ " prefix, and may have at most 32");
		assertThatIllegalArgumentException().isThrownBy(() -> client.tryAcquire(LockRequest.keys(List.of("c", key))));
		assertThat(this.zk.packetsAtRest()).isEqualTo(packets);
		try (LockInspector inspector = this.zk.inspector(client)) {
			assertThat(inspector.line(key).contenders()).isEmpty();
			assertThat(inspector.ask(key, "reason")).isEmpty();
		}
	}

	@Test
	void aPrefixWithMoreSegmentsThanTheLimitIsRefused() {
		open("a/".repeat(31));
		assertThatIllegalArgumentException().isThrownBy(() -> open("a/".repeat(32)))
			.withMessageContaining("cannot be a path, as zk-lock.nested-keys wants it: a key has at least 33 segments"
					+ " with it, and may have at most 32");
	}

	@Test
	void aKeyThatIsNotNestedMayHaveManySlashes() throws Exception {
		ZooKeeperLockClient client = (ZooKeeperLockClient) this.zk.client().open();
		client.acquire(LockRequest.exclusive("a/".repeat(511) + "b")).release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a//b", "/a", "a/", "a/x-lock-0000000001/b" })
	void ofWhatCannotBeAPathNothingIsHeld(String key) {
		try (LockInspector inspector = this.zk.inspector(open(""))) {
			assertThat(inspector.line(key).contenders()).isEmpty();
			assertThat(inspector.forceRelease(key)).isEmpty();
			assertThat(inspector.ask(key, "reason")).isEmpty();
		}
	}

	@Test
	void aWaitersNodeIsNoKeyThatIsHeld() throws Exception {
		ZooKeeperLockClient client = open("");
		try (LockHandle held = client.acquire(LockRequest.exclusive("a/b"));
				LockInspector inspector = this.zk.inspector(client)) {
			String node = this.zk.contenders("a/b").get(0);
			String name = node.substring(node.lastIndexOf('/') + 1);
			assertThat(inspector.forceRelease("a/b/" + name)).isEmpty();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void theInspectorFindsTheLockNodesOfItsKeysOnly() throws Exception {
		ZooKeeperLockClient client = open("shop/");
		try (LockHandle handle = client.acquire(LockRequest.keys(List.of("a", "a/b")));
				LockHandle naive = client.acquire(LockRequest.exclusive("c/d").strategy("naive"));
				LockHandle others = open("").acquire(LockRequest.exclusive("a/b"));
				ZooKeeperLockInspector inspector = this.zk.inspector(client)) {
			for (String key : List.of("a", "a/b", "c/d")) {
				String node = this.zk.contenders("shop/" + key).get(0);
				assertThat(inspector.contender(node)).get().extracting(LockQueue.Contender::path).isEqualTo(node);
			}
			assertThat(inspector.contender(this.zk.contenders("a/b").get(0))).isEmpty();
			assertThat(inspector.contender(this.zk.keyNode("shop/a"))).isEmpty();
			assertThat(handle.isHeld() && naive.isHeld() && others.isHeld()).isTrue();
		}
	}

	private ZooKeeperLockClient open(String prefix) {
		return (ZooKeeperLockClient) this.zk.client()
			.session(LONG_SESSION)
			.with((builder) -> builder.keyPrefix(prefix).nestedKeys(true))
			.open();
	}

}
