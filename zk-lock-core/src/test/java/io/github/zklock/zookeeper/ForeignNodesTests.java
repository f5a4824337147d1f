package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes at a key node that no lock client made.
 */
@Timeout(60)
class ForeignNodesTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE", "sequential, READ", "sequential, WRITE", "naive, EXCLUSIVE", "naive, READ",
			"naive, WRITE" })
	void whatIsNoContenderIsIgnored(String strategy, LockMode mode) throws Exception {
		for (String name : new String[] { "lock-", "x-lock-", "0", "!junk", "-lock-12", "__READ__", "lock-0000000000x",
				"0000000000", "lease-0000000000", "lock-00000 0000" }) {
			this.zk.plant(this.zk.keyNode(KEY) + "/" + name, CreateMode.PERSISTENT);
		}
		this.zk.plant(this.zk.keyNode(KEY) + "/0000000001-child", CreateMode.EPHEMERAL);
		LockClient client = open(strategy);
		try (LockHandle handle = client.acquire(request(mode).timeout(Duration.ofSeconds(5)))) {
			assertThat(handle.isHeld()).isTrue();
		}
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		LockClient other = open(strategy);
		CompletableFuture<LockHandle> waiting = other.acquireAsync(request(mode));
		this.zk.awaitWaiting(other, KEY);
		assertThat(waiting).isNotDone();
		handle.release();
		Actor.get(waiting).release();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE, somebody-lock-0000000000", "sequential, READ, __WRIT__0000000000",
			"sequential, WRITE, x__READ__0000000000", "sequential, EXCLUSIVE, lock-0000000000",
			"naive, EXCLUSIVE, somebody-lock-0000000000", "naive, WRITE, x__READ__0000000000",
			"naive, READ, lock-0000000000" })
	void aWellFormedNameIsAContenderNoMatterWhoMadeIt(String strategy, LockMode mode, String name) throws Exception {
		String foreign = this.zk.plant(this.zk.keyNode(KEY) + "/" + name, CreateMode.PERSISTENT);
		LockClient client = open(strategy);
		assertThat(OneTry.of(client, request(mode))).isEmpty();
		assertThat(InVain.of(() -> client.acquire(request(mode).timeout(Duration.ofMillis(500)))))
			.hasMessageContaining(KEY);
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
		this.zk.awaitWaiting(client, KEY);
		assertThat(waiting).isNotDone();
		this.zk.delete(foreign);
		Actor.get(waiting).release();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE", "naive, EXCLUSIVE", "naive, WRITE" })
	void aNodeWithLongDataIsNamedByItsPath(String strategy, LockMode mode) throws Exception {
		String foreign = this.zk.plant(this.zk.keyNode(KEY) + "/x-lock-0000000000", CreateMode.PERSISTENT);
		LockClient client = open(strategy);
		this.zk.curatorOf(client).setData().forPath(foreign, new byte[900_000]);
		InVain.of(() -> client.acquire(request(mode).timeout(Duration.ofMillis(500))),
				(ex) -> assertThat(ex).hasMessageContaining("the node " + foreign));
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE", "sequential, WRITE", "naive, WRITE" })
	void aDowngradedWriteKeepsItsPositionAlsoBesideNumbersNearTheirEnd(String strategy, LockMode mode)
			throws Exception {
		LockHandle reader = open(strategy).acquire(request(LockMode.WRITE));
		LockClient writer = open(strategy);
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(mode));
		this.zk.awaitWaiting(writer, KEY);
		for (String name : new String[] { "x-lock-2147483640", "y-lock--2147483648" }) {
			this.zk.plant(this.zk.keyNode(KEY) + "/" + name, CreateMode.PERSISTENT);
		}
		reader.downgrade();
		assertThat(OneTry.of(open(strategy), request(LockMode.READ))).isEmpty();
		this.zk.awaitWaiting(writer, KEY);
		assertThat(reader.isHeld()).isTrue();
		assertThat(writing).isNotDone();
		reader.release();
		Actor.get(writing).release();
	}

	@Test
	void aNumberNearTheirEndKeepsNobodyOutWhoTriesOnce() throws Exception {
		this.zk.plant(this.zk.keyNode(KEY) + "/x-lock-2147483640", CreateMode.PERSISTENT);
		OneTry.of(open("sequential"), request(LockMode.EXCLUSIVE)).orElseThrow().release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aPersistentNodeIsAKeyNodeLikeAnother(String strategy) {
		this.zk.plant(this.zk.keyNode(KEY), CreateMode.PERSISTENT);
		ContendingCallers callers = ContendingCallers.between(open(strategy), open(strategy)).threads(2).rounds(5);
		assertThat(callers.run((round) -> request(LockMode.EXCLUSIVE)).violations()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void anEphemeralNodeOfAnotherClientInTheKeyNodeIsAHolder(String strategy) {
		String foreign = this.zk.plant(this.zk.keyNode(KEY), CreateMode.EPHEMERAL);
		LockClient client = open(strategy);
		InVain.of(() -> client.acquire(request(LockMode.EXCLUSIVE).timeout(Duration.ofMillis(500))));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		this.zk.awaitWaiting(client, KEY);
		assertThat(waiting).isNotDone();
		this.zk.delete(foreign);
		Actor.get(waiting).release();
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).open();
	}

	private static LockRequest request(LockMode mode) {
		return LockRequest.exclusive(KEY).mode(mode);
	}

}
