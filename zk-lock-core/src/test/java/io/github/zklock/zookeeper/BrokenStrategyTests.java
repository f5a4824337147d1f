package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.Section;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.Residue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * A strategy that does not exclude must make the exclusion tests of the contract red.
 */
class BrokenStrategyTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void writersOfTwoClientsAreSeenToOverlap() {
		Section section = ContendingCallers.between(open(), open())
			.threads(2)
			.rounds(15)
			.run((round) -> LockRequest.exclusive("orders"));
		assertThat(section.violations()).anyMatch((line) -> line.contains("2 writers"));
	}

	@Test
	void readersAreSeenToOverlapWithWriters() {
		Section section = ContendingCallers.between(open(), open())
			.threads(2)
			.rounds(15)
			.run((round) -> LockRequest.exclusive("orders").mode((round % 2 == 0) ? LockMode.READ : LockMode.WRITE));
		assertThat(section.violations()).anyMatch((line) -> line.matches(".*[1-9] writers and [1-9] readers.*"));
	}

	@Test
	void theStrategyOfTheUsersOwnIsTheOneThatIsUsed() throws Exception {
		try (LockHandle one = open().acquire(LockRequest.exclusive("orders"));
				LockHandle two = open().acquire(LockRequest.exclusive("orders"))) {
			assertThat(one.isHeld()).isTrue();
			assertThat(two.isHeld()).isTrue();
			assertThat(this.zk.contenders("orders")).isEmpty();
		}
	}

	@Test
	void aJobNeedsAStrategyWithNodes() {
		LockClient jobs = open().notAgainWithin(Duration.ofMinutes(10), false);
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.acquire(LockRequest.exclusive("nightly")))
			.withMessageContaining("has no node in ZooKeeper that could be checked");
	}

	@ParameterizedTest
	@ValueSource(strings = { "orders", "orders stock" })
	void aContenderThatCannotLeaveIsForgotten(String keys) throws Exception {
		this.zk.announce("A step of");
		LockClient client = open(new Broken(new GrantsAtOnceStrategy()));
		client.acquire(LockRequest.keys(List.of(keys.split(" ")))).releaseAsync().get(5, TimeUnit.SECONDS);
		await().untilAsserted(() -> assertThat(OpenCounts.of(client)).isZero());
	}

	@ParameterizedTest
	@ValueSource(strings = { "orders", "orders stock" })
	void aStrategyThatThrowsAnErrorFailsItsCallersOnly(String keys) {
		LockClient client = open(new Broken(null));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.acquire(LockRequest.keys(List.of(keys.split(" ")))))
			.withCauseInstanceOf(NoClassDefFoundError.class);
		await().untilAsserted(() -> assertThat(OpenCounts.of(client)).isZero());
	}

	@Test
	@Tag("SessionSource.I3")
	void aContenderThatNeverLeavesDoesNotKeepTheThreadsOfAClosedClient() throws Exception {
		this.zk.announce("has not yet confirmed the removal");
		this.zk.announce("its lock client was closed");
		Set<Thread> others = Residue.engineThreads();
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		ZooKeeperFixture.awaitConnected(curator);
		ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator)
			.root(this.zk.root())
			.strategy("broken", new NeverLeaves())
			.strategy("broken")
			.build();
		client.acquire(LockRequest.exclusive("orders"));
		client.close();
		assertThat(threadsSince(others)).as("as long as it may still leave").isNotEmpty();
		await().atMost(ZooKeeperFixture.SESSION.multipliedBy(2)).until(() -> threadsSince(others).isEmpty());
		assertThat(curator.getZookeeperClient().isConnected()).isTrue();
	}

	private static Set<Thread> threadsSince(Set<Thread> others) {
		Set<Thread> threads = new HashSet<>(Residue.engineThreads());
		threads.removeAll(others);
		return threads;
	}

	private LockClient open(LockStrategy strategy) {
		return this.zk.client().with((builder) -> builder.strategy("broken", strategy).strategy("broken")).open();
	}

	private LockClient open() {
		return open(new GrantsAtOnceStrategy());
	}

	/** Its contenders never say that they have left. */
	private static final class NeverLeaves implements LockStrategy {

		private final LockStrategy entering = new GrantsAtOnceStrategy();

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			this.entering.enter(attempt, listener);
			return CompletableFuture::new;
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			throw new UnsupportedOperationException();
		}

	}

	/** Its contenders cannot leave; without another strategy none can enter. */
	private record Broken(LockStrategy entering) implements LockStrategy {

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			if (this.entering == null) {
				throw new NoClassDefFoundError("planted in enter");
			}
			this.entering.enter(attempt, listener);
			return () -> {
				throw new NoClassDefFoundError("planted in leave");
			};
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			throw new UnsupportedOperationException();
		}

	}

}
