package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Old services lock with Curator's own recipes below the same root: EXCLUSIVE is of one
 * family with {@link InterProcessMutex}, READ and WRITE are with
 * {@link InterProcessReadWriteLock}.
 */
@Timeout(60)
class CuratorInteropTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void aMutexOfCuratorsKeepsOutExclusive() throws Exception {
		InterProcessMutex mutex = mutex();
		LockClient client = open("sequential");
		mutex.acquire();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		this.zk.awaitWaiting(client, KEY);
		assertThat(waiting).isNotDone();
		assertThat(mutex.isAcquiredInThisProcess()).isTrue();
		mutex.release();
		LockHandle handle = Actor.get(waiting);
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@Test
	void aMutexOfCuratorsIsNamedByItsPathAlsoIfItsDataAreJson() throws Exception {
		InterProcessMutex mutex = new InterProcessMutex(this.zk.curatorOf(open("sequential")), this.zk.keyNode(KEY)) {

			@Override
			protected byte[] getLockNodeBytes() {
				return "{\"id\":\"order-worker-7\",\"queue\":\"orders\"}".getBytes(StandardCharsets.UTF_8);
			}

		};
		LockClient client = open("sequential");
		mutex.acquire();
		// Ours may still be there afterwards
		String node = this.zk.contenders(KEY).get(0);
		InVain.of(() -> client.acquire(request(LockMode.EXCLUSIVE).timeout(Duration.ofMillis(500))),
				(ex) -> assertThat(ex).hasMessageContaining("held by the node " + node + " ")
					.hasMessageNotContaining("null"));
		mutex.release();
	}

	@Test
	void exclusiveKeepsOutAMutexOfCurators() throws Exception {
		InterProcessMutex mutex = mutex();
		LockHandle handle = open("sequential").acquire(request(LockMode.EXCLUSIVE));
		assertThat(mutex.acquire(100, TimeUnit.MILLISECONDS)).isFalse();
		Actor actor = this.zk.actor();
		CompletableFuture<Boolean> waiting = actor.call(() -> mutex.acquire(20, TimeUnit.SECONDS));
		actor.awaitBlocked();
		assertThat(waiting).isNotDone();
		handle.release();
		assertThat(Actor.get(waiting)).isTrue();
		actor.run(mutex::release);
	}

	// Of which docs/migration.md warns
	@ParameterizedTest
	@ValueSource(strings = { "Zürich", "50%", "a\u00A0b" })
	void aKeyThatIsEncodedIsNotTheNodeOfTheSameNameOfCurators(String key) throws Exception {
		InterProcessMutex mutex = new InterProcessMutex(curator(), this.zk.keyNode(key));
		assertThat(mutex.acquire(5, TimeUnit.SECONDS)).isTrue();
		try (LockHandle handle = open("sequential").acquire(LockRequest.exclusive(key))) {
			assertThat(handle.isHeld() && mutex.isAcquiredInThisProcess()).isTrue();
		}
		mutex.release();
	}

	@Test
	void bothKindsAreInOneQueue() throws Exception {
		LockHandle handle = open("sequential").acquire(request(LockMode.EXCLUSIVE));
		InterProcessMutex mutex = mutex();
		Actor actor = this.zk.actor();
		CompletableFuture<Boolean> second = actor.call(() -> mutex.acquire(20, TimeUnit.SECONDS));
		awaitContenders(2);
		LockClient client = open("sequential");
		CompletableFuture<LockHandle> third = client.acquireAsync(request(LockMode.EXCLUSIVE));
		this.zk.awaitWaiting(client, KEY);
		handle.release();
		assertThat(Actor.get(second)).isTrue();
		assertThat(third).isNotDone();
		actor.run(mutex::release);
		Actor.get(third).release();
	}

	@Test
	void mutexesAndExclusiveNeverOverlap() throws Exception {
		LockClient client = open("sequential");
		contend(20, pass(mutex()), pass(mutex()), (section) -> enter(client, LockMode.EXCLUSIVE, section),
				(section) -> enter(client, LockMode.EXCLUSIVE, section));
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aWriteLockOfCuratorsKeepsOutReadAndWrite(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		theirs.writeLock().acquire();
		for (LockMode mode : List.of(LockMode.READ, LockMode.WRITE)) {
			LockClient client = open(strategy);
			CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
			this.zk.awaitWaiting(client, KEY);
			assertThat(waiting).isNotDone();
			assertThat(theirs.writeLock().isAcquiredInThisProcess()).isTrue();
			theirs.writeLock().release();
			LockHandle handle = Actor.get(waiting);
			assertThat(handle.isHeld()).isTrue();
			handle.releaseAsync().join();
			theirs.writeLock().acquire();
		}
		theirs.writeLock().release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aReadLockOfCuratorsSharesWithReadAndKeepsOutWrite(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		theirs.readLock().acquire();
		try (LockHandle reader = open(strategy).acquire(request(LockMode.READ))) {
			assertThat(reader.isHeld()).isTrue();
		}
		LockClient writer = open(strategy);
		CompletableFuture<LockHandle> waiting = writer.acquireAsync(request(LockMode.WRITE));
		this.zk.awaitWaiting(writer, KEY);
		assertThat(waiting).isNotDone();
		theirs.readLock().release();
		Actor.get(waiting).release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aDowngradedWriteLetsReadersOfCuratorInAndKeepsTheirWritersOut(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		LockHandle handle = open(strategy).acquire(request(LockMode.WRITE));
		Actor reader = this.zk.actor();
		CompletableFuture<Boolean> reading = reader.call(() -> theirs.readLock().acquire(20, TimeUnit.SECONDS));
		awaitContenders(2);
		InterProcessReadWriteLock others = readWriteLock();
		Actor writer = this.zk.actor();
		CompletableFuture<Boolean> writing = writer.call(() -> others.writeLock().acquire(20, TimeUnit.SECONDS));
		awaitContenders(3);
		assertThat(reading).isNotDone();
		handle.downgrade();
		assertThat(Actor.get(reading)).isTrue();
		assertThat(handle.isHeld()).isTrue();
		reader.run(theirs.readLock()::release);
		assertThat(readWriteLock().writeLock().acquire(300, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(writing).isNotDone();
		handle.release();
		assertThat(Actor.get(writing)).isTrue();
		writer.run(others.writeLock()::release);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void eachOfSeveralKeysMeetsTheLocksOfCuratorInItsOwnMode(String strategy) throws Exception {
		LockRequest pair = LockRequest.read(KEY).and(LockRequest.write("stock"));
		try (LockHandle handle = open(strategy).acquire(pair)) {
			assertThat(handle.isHeld()).isTrue();
			InterProcessReadWriteLock orders = readWriteLock();
			assertThat(orders.readLock().acquire(20, TimeUnit.SECONDS)).isTrue();
			orders.readLock().release();
			assertThat(orders.writeLock().acquire(100, TimeUnit.MILLISECONDS)).isFalse();
			InterProcessReadWriteLock stock = new InterProcessReadWriteLock(curator(), this.zk.keyNode("stock"));
			assertThat(stock.readLock().acquire(100, TimeUnit.MILLISECONDS)).isFalse();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void writeKeepsOutBothLocksOfCurators(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		LockHandle handle = open(strategy).acquire(request(LockMode.WRITE));
		assertThat(theirs.readLock().acquire(100, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(theirs.writeLock().acquire(100, TimeUnit.MILLISECONDS)).isFalse();
		Actor reader = this.zk.actor();
		CompletableFuture<Boolean> reading = reader.call(() -> theirs.readLock().acquire(20, TimeUnit.SECONDS));
		awaitContenders(2);
		handle.release();
		assertThat(Actor.get(reading)).isTrue();
		reader.run(theirs.readLock()::release);
		assertThat(theirs.writeLock().acquire(20, TimeUnit.SECONDS)).isTrue();
		theirs.writeLock().release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void readSharesWithTheReadLockOfCuratorsAndKeepsOutTheirWriteLock(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		LockHandle handle = open(strategy).acquire(request(LockMode.READ));
		assertThat(theirs.readLock().acquire(20, TimeUnit.SECONDS)).isTrue();
		theirs.readLock().release();
		assertThat(theirs.writeLock().acquire(100, TimeUnit.MILLISECONDS)).isFalse();
		handle.release();
		assertThat(theirs.writeLock().acquire(20, TimeUnit.SECONDS)).isTrue();
		theirs.writeLock().release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aWriteLockOfCuratorsThatBecomesAReadLockKeepsOutWrite(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		theirs.writeLock().acquire();
		LockClient writer = open(strategy);
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(LockMode.WRITE));
		this.zk.awaitWaiting(writer, KEY);
		theirs.readLock().acquire();
		theirs.writeLock().release();
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		await().during(Duration.ofMillis(100)).atMost(Actor.PATIENCE).until(() -> !writing.isDone());
		theirs.readLock().release();
		Actor.get(writing).release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aWriteLockOfCuratorsThatBecomesAReadLockLetsReadersIn(String strategy) throws Exception {
		InterProcessReadWriteLock theirs = readWriteLock();
		theirs.writeLock().acquire();
		LockClient reader = open(strategy);
		CompletableFuture<LockHandle> reading = reader.acquireAsync(request(LockMode.READ));
		this.zk.awaitWaiting(reader, KEY);
		theirs.readLock().acquire();
		theirs.writeLock().release();
		LockHandle handle = Actor.get(reading);
		assertThat(theirs.readLock().isAcquiredInThisProcess()).isTrue();
		handle.release();
		theirs.readLock().release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void readWriteLocksAndReadAndWriteNeverOverlap(String strategy) throws Exception {
		LockClient one = open(strategy);
		LockClient two = open(strategy);
		contend(15, pass(readWriteLock().writeLock()), pass(readWriteLock().writeLock()),
				reading(readWriteLock().readLock()), (section) -> enter(one, LockMode.WRITE, section),
				(section) -> enter(two, LockMode.WRITE, section), (section) -> enter(one, LockMode.READ, section),
				(section) -> enter(two, LockMode.READ, section));
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "WRITE" })
	void aForcedReleaseTakesBothNodesOfWhoHasAReadInsideOfAWrite(LockMode sortedFirst) throws Exception {
		ZooKeeperLockClient client = (ZooKeeperLockClient) open("sequential");
		InterProcessReadWriteLock lock = readInsideOfWrite(sortedFirst);
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.READ));
		this.zk.awaitWaiting(client, KEY);
		try (LockInspector inspector = this.zk.inspector(client)) {
			assertThat(inspector.line(KEY).contenders()).extracting(Contender::holds)
				.containsExactly(true, true, false);
			assertThat(inspector.waits().waits()).extracting((wait) -> wait.waiter().ours()).containsOnly(true);
			assertThat(inspector.forceRelease(KEY)).extracting(Contender::mode)
				.containsExactlyInAnyOrder(LockMode.READ, LockMode.WRITE);
		}
		Actor.get(waiting).release();
		lock.readLock().release();
		lock.writeLock().release();
	}

	// Both nodes have one number, and ids by chance
	private InterProcessReadWriteLock readInsideOfWrite(LockMode sortedFirst) throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		InterProcessReadWriteLock lock = new InterProcessReadWriteLock(curator, this.zk.keyNode(KEY));
		while (true) {
			lock.writeLock().acquire();
			lock.readLock().acquire();
			List<LockNodeName> names = NodeQueue.of(curator.getChildren().forPath(this.zk.keyNode(KEY))).names();
			assertThat(names).hasSize(2).extracting(LockNodeName::sequence).containsOnly(names.get(0).sequence());
			if (names.get(0).mode() == sortedFirst) {
				return lock;
			}
			lock.readLock().release();
			lock.writeLock().release();
		}
	}

	private void contend(int rounds, Pass... passes) throws Exception {
		Counter counter = new Counter();
		CyclicBarrier together = new CyclicBarrier(passes.length);
		List<CompletableFuture<Void>> outcomes = new ArrayList<>();
		for (Pass pass : passes) {
			outcomes.add(this.zk.actor().call(() -> {
				pass.through(counter); // Then it is connected
				together.await(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS);
				for (int i = 1; i < rounds; i++) {
					pass.through(counter);
				}
				return null;
			}));
		}
		outcomes.forEach(Actor::get);
		assertThat(counter.overlaps).hasValue(0);
		assertThat(counter.value).isEqualTo(counter.writes.get());
		assertThat(counter.writes.get() + counter.reads.get()).isEqualTo(passes.length * rounds);
	}

	private static Pass pass(InterProcessLock lock) {
		return under(lock, Counter::increment);
	}

	private static Pass reading(InterProcessLock lock) {
		return under(lock, Counter::read);
	}

	private static Pass under(InterProcessLock lock, Consumer<Counter> work) {
		return (counter) -> {
			lock.acquire();
			try {
				work.accept(counter);
			}
			finally {
				lock.release();
			}
		};
	}

	private static void enter(LockClient client, LockMode mode, Counter counter) throws InterruptedException {
		try (LockHandle handle = client.acquire(request(mode))) {
			if (mode == LockMode.READ) {
				counter.read();
			}
			else {
				counter.increment();
			}
			assertThat(handle.isHeld()).isTrue();
		}
	}

	private void awaitContenders(int count) {
		await().until(() -> this.zk.contenders(KEY).size() == count);
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).open();
	}

	private InterProcessMutex mutex() {
		return new InterProcessMutex(curator(), this.zk.keyNode(KEY));
	}

	private InterProcessReadWriteLock readWriteLock() {
		return new InterProcessReadWriteLock(curator(), this.zk.keyNode(KEY));
	}

	private CuratorFramework curator() {
		return this.zk.curator(ZooKeeperFixture.SESSION);
	}

	private static LockRequest request(LockMode mode) {
		return LockRequest.exclusive(KEY).mode(mode);
	}

	@FunctionalInterface
	private interface Pass {

		void through(Counter counter) throws Exception;

	}

	/**
	 * Safe only under a lock.
	 */
	private static final class Counter {

		private final AtomicInteger writers = new AtomicInteger();

		private final AtomicInteger readers = new AtomicInteger();

		private final AtomicInteger overlaps = new AtomicInteger();

		private final AtomicInteger writes = new AtomicInteger();

		private final AtomicInteger reads = new AtomicInteger();

		private int value;

		void increment() {
			if (this.writers.incrementAndGet() != 1 || this.readers.get() != 0) {
				this.overlaps.incrementAndGet();
			}
			int before = this.value;
			LockSupport.parkNanos(300_000);
			this.value = before + 1;
			this.writes.incrementAndGet();
			this.writers.decrementAndGet();
		}

		void read() {
			this.readers.incrementAndGet();
			int before = this.value;
			LockSupport.parkNanos(1_000_000);
			if (this.writers.get() != 0 || this.value != before) {
				this.overlaps.incrementAndGet();
			}
			this.reads.incrementAndGet();
			this.readers.decrementAndGet();
		}

	}

}
