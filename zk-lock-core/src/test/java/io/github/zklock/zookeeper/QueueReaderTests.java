package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Who holds and who waits, as a strategy tells it.
 */
@Timeout(60)
class QueueReaderTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockSessions sessions;

	@BeforeEach
	void openSessions() throws InterruptedException {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		assertThat(curator.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
		this.sessions = LockSessions.builder(curator).root(this.zk.root()).build();
	}

	@AfterEach
	void closeSessions() {
		this.sessions.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void theQueueOfAFreeKeyIsEmpty(String strategy) throws Exception {
		assertThat(line(strategy).contenders()).isEmpty();
		open("sequential").acquire(LockRequest.exclusive(KEY)).releaseAsync().join();
		assertThat(line(strategy)).isEqualTo(new LockQueue(KEY, List.of()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void holdersComeFirstAndWaitersInTheirOrder(String strategy) throws Exception {
		LockHandle reader = open(strategy).acquire(LockRequest.read(KEY));
		LockHandle other = open(strategy).acquire(LockRequest.read(KEY));
		LockClient writer = open(strategy);
		CompletableFuture<LockHandle> writing = writer.acquireAsync(LockRequest.write(KEY));
		this.zk.awaitWaiting(writer, KEY);
		LockClient late = open(strategy);
		CompletableFuture<LockHandle> reading = late.acquireAsync(LockRequest.read(KEY));
		this.zk.awaitWaiting(late, KEY);
		LockQueue queue = line(strategy);
		assertThat(queue.contenders()).extracting(Contender::mode, Contender::holds, Contender::ours)
			.containsExactly(tuple(LockMode.READ, true, false), tuple(LockMode.READ, true, false),
					tuple(LockMode.WRITE, false, false), tuple(LockMode.READ, false, false));
		assertThat(queue.contenders()).extracting(Contender::token).isSorted().doesNotHaveDuplicates();
		assertThat(queue.contenders()).extracting(Contender::path)
			.containsExactlyInAnyOrderElementsOf(this.zk.contenders(KEY));
		assertThat(queue.contenders())
			.allSatisfy((contender) -> assertThat(contender.description()).contains("\"pid\":"));
		assertThat(queue.contenders().get(0).token()).isEqualTo(reader.fencingToken());
		reader.release();
		other.release();
		Actor.get(writing).release();
		Actor.get(reading).release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "/x-lock-0000000000" })
	void longDataAreNotShown(String below) throws Exception {
		LockClient client = open("sequential");
		String foreign = this.zk.plant(this.zk.keyNode(KEY) + below,
				below.isEmpty() ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT);
		this.zk.curatorOf(client).setData().forPath(foreign, "x".repeat(8193).getBytes(StandardCharsets.UTF_8));
		assertThat(line("sequential").contenders()).singleElement()
			.extracting(Contender::path, Contender::description)
			.containsExactly(foreign, "");
	}

	@Test
	void theHolderOfANaiveLockStandsAlone() throws Exception {
		try (LockHandle handle = open("naive").acquire(LockRequest.exclusive(KEY))) {
			assertThat(line("naive").contenders()).singleElement()
				.extracting(Contender::path, Contender::mode, Contender::holds, Contender::ours, Contender::token)
				.containsExactly(this.zk.keyNode(KEY), LockMode.EXCLUSIVE, true, false, handle.fencingToken());
			assertThat(line("sequential")).isEqualTo(line("naive"));
		}
	}

	@Test
	void aClientKnowsItsOwn() throws Exception {
		try (ZooKeeperLockClient client = ZooKeeperLockClient.builder(this.sessions).build();
				LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(line("sequential").contenders()).singleElement()
				.extracting(Contender::ours, Contender::token)
				.containsExactly(true, handle.fencingToken());
		}
	}

	@Test
	void foreignContendersAreQueuedAndJunkIsNot() throws Exception {
		String foreign = this.zk.plant(this.zk.keyNode(KEY) + "/x-lock-0000000007", CreateMode.PERSISTENT);
		this.zk.plant(this.zk.keyNode(KEY) + "/junk", CreateMode.PERSISTENT);
		assertThat(line("sequential").contenders()).singleElement()
			.extracting(Contender::path, Contender::holds, Contender::ours)
			.containsExactly(foreign, true, false);
	}

	@Test
	void whoWaitsForAWriterThatIsDowngradedBetweenTheListAndTheReadsIsNoHolder() throws Exception {
		ReadingMoments moments = new ReadingMoments();
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder().zookeeperFactory(moments),
				this.zk.servers().connectString());
		assertThat(curator.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
		LockHandle writer = open("sequential").acquire(LockRequest.write(KEY));
		String node = this.zk.contenders(KEY).get(0);
		LockClient late = open("sequential");
		CompletableFuture<LockHandle> waiting = late.acquireAsync(LockRequest.write(KEY));
		this.zk.awaitWaiting(late, KEY);
		try (LockSessions looking = LockSessions.builder(curator).root(this.zk.root()).build()) {
			moments.beforeRead(node, () -> {
				writer.downgrade();
				await().until(() -> !this.zk.contenders(KEY).contains(node));
				return true;
			});
			assertThat(line(new SequentialLockStrategy(looking)).contenders())
				.extracting(Contender::mode, Contender::holds)
				.containsExactly(tuple(LockMode.READ, true), tuple(LockMode.WRITE, false));
		}
		writer.release();
		Actor.get(waiting).release();
	}

	@Test
	void aKeyNodeThatTookTheHoldersPathBetweenTheListAndTheReadIsNoHolder() throws Exception {
		ReadingMoments moments = new ReadingMoments();
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder().zookeeperFactory(moments),
				this.zk.servers().connectString());
		assertThat(curator.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
		LockHandle naive = open("naive").acquire(LockRequest.exclusive(KEY));
		LockClient other = open("sequential");
		AtomicReference<LockHandle> next = new AtomicReference<>();
		try (LockSessions looking = LockSessions.builder(curator).root(this.zk.root()).build()) {
			moments.beforeRead(this.zk.keyNode(KEY), () -> {
				naive.releaseAsync().join();
				next.set(other.acquire(LockRequest.exclusive(KEY)));
				return true;
			});
			assertThat(line(new NaiveLockStrategy(looking)).contenders()).singleElement()
				.extracting(Contender::path, Contender::holds)
				.containsExactly(this.zk.contenders(KEY).get(0), true);
		}
		next.get().release();
	}

	@Test
	void whoIsFirstIsFoundByAReaderOfTheFrontWhereTheNumbersBeganAnew() {
		String first = this.zk.plant(this.zk.keyNode(KEY) + "/z-lock-2147483647", CreateMode.PERSISTENT);
		for (int i = 0; i <= QueueReader.FRONT; i++) {
			this.zk.plant(this.zk.keyNode(KEY) + "/x-lock-" + (Integer.MIN_VALUE + i), CreateMode.PERSISTENT);
		}
		await().until(() -> this.sessions.source().current() != null);
		LockQueue front = Actor.get(QueueReader.read(this.sessions.source(), KEY, QueueReader.FRONT));
		assertThat(front.contenders()).filteredOn(Contender::holds).extracting(Contender::path).containsExactly(first);
	}

	@Test
	void theQueueIsUnavailableInAnOutage() {
		this.zk.servers().stop();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> line("sequential"))
			.withMessageContaining("'orders'");
	}

	private LockQueue line(String strategy) {
		return line(strategy.equals("naive") ? new NaiveLockStrategy(this.sessions)
				: new SequentialLockStrategy(this.sessions));
	}

	private static LockQueue line(LockStrategy looking) {
		return Actor.get(looking.line(KEY).toCompletableFuture());
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).open();
	}

}
