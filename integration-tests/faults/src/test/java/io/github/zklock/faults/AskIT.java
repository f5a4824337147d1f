package io.github.zklock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 18: a holder that is asked to let go is killed, frozen, or does not get its
 * answers.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class AskIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	/** A third of it is longer than two asks: so long the first lease lasts at least. */
	private static final Duration LONG_SESSION = Duration.ofSeconds(60);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(LONG_SESSION);

	private CuratorFramework curator;

	private ZooKeeperLockClient client;

	private ZooKeeperLockInspector inspector;

	@BeforeEach
	void look() {
		this.curator = this.faults.arena().curator(this.faults.servers().connectString(), LONG_SESSION);
		this.client = (ZooKeeperLockClient) this.faults.arena().client(this.curator);
		this.inspector = new ZooKeeperLockInspector(this.client,
				() -> ClientMain.curatorBuilder(this.faults.servers().connectString(), LONG_SESSION).build(),
				LONG_SESSION);
	}

	@AfterEach
	void close() {
		this.inspector.close();
	}

	private static LockRequest request(String strategy) {
		return LockRequest.exclusive("k").strategy(strategy).timeout(Duration.ofSeconds(20));
	}

	private ClientProcess holder(String strategy, Duration session) throws Exception {
		ClientProcess holder = this.faults.arena()
			.process("holder", this.faults.servers().connectString(), session, 1,
					RoundPlan.of(strategy, LockMode.EXCLUSIVE).hold(RoundPlan.UNTIL_ASKED), 1);
		holder.await("ENTER");
		awaitNodes(1);
		return holder;
	}

	private List<String> nodes() throws Exception {
		String parent = this.faults.arena().root() + "/%~asks";
		Arena.catchUp(this.curator);
		return (this.curator.checkExists().forPath(parent) != null) ? this.curator.getChildren().forPath(parent)
				: List.of();
	}

	private void awaitNodes(int number) {
		await().atMost(PATIENCE).until(() -> nodes().size() == number);
	}

	private HolderNote note() throws Exception {
		String path = this.faults.arena().root() + "/%~asks/" + nodes().get(0);
		return HolderNote.parse(new String(this.curator.getData().forPath(path), StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "sequential", "naive" })
	void ofAHolderThatIsKilledNothingIsLeft(String strategy) throws Exception {
		ClientProcess holder = holder(strategy, SESSION);
		holder.kill();
		List<HolderNote> asked = this.inspector.ask("k", "is it alive");
		assertThat(asked).hasSize(1);
		this.client.acquire(request(strategy)).releaseAsync().join();
		assertThat(nodes()).isEmpty();
		assertThat(holder.count("ASKED")).isZero();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "sequential", "naive" })
	void aHolderThatIsFrozenNoticesWhenItThaws(String strategy) throws Exception {
		ClientProcess holder = holder(strategy, LONG_SESSION);
		holder.freeze();
		List<HolderNote> asked = this.inspector.ask("k", "first");
		assertThat(asked).hasSize(1).noneMatch(HolderNote::noticed);
		assertThat(this.inspector.ask("k", "second")).as("was asked before")
			.hasSize(1)
			.noneMatch(HolderNote::noticed)
			.allMatch((note) -> Objects.equals(note.pid(), asked.get(0).pid()));
		holder.thaw();
		try (LockHandle next = this.client.acquire(request(strategy))) {
			assertThat(next.isHeld()).isTrue();
			assertThat(this.faults.arena().history().notes("ASKED")).hasSize(1)
				.allMatch((note) -> note.endsWith("second"));
		}
		this.faults.arena().stop();
		assertThat(this.faults.arena().judge("frozen holder that is asked, " + strategy).violations()).isEmpty();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "sequential", "naive" })
	void lostAnswersNeitherHideAnAskNorRepeatIt(String strategy) throws Exception {
		Queue<String> reasons = new ConcurrentLinkedQueue<>();
		CompletableFuture<String> deleted;
		try (LockHandle held = this.faults.clientBehindProxy().acquire(request(strategy))) {
			CompletableFuture<String> made = this.faults.proxy().loseAnswer(1, LockRequestTypes.CREATIONS);
			held.onContended((caller) -> reasons.add(caller.reason()));
			assertThat(made).succeedsWithin(PATIENCE).asString().contains("/%~asks/");
			awaitNodes(1);
			CompletableFuture<String> noticed = this.faults.proxy().loseAnswer(1, LockRequestTypes.HOLDER_MARKS);
			this.inspector.ask("k", "first");
			assertThat(noticed).succeedsWithin(PATIENCE);
			CompletableFuture<String> never = this.faults.proxy().loseRequest(1, LockRequestTypes.HOLDER_MARKS);
			this.inspector.ask("k", "second");
			assertThat(never).succeedsWithin(PATIENCE);
			await().atMost(PATIENCE).until(() -> "second".equals(note().reason()) && note().noticed());
			assertThat(nodes()).hasSize(1);
			assertThat(reasons).containsExactly("first", "second");
			deleted = this.faults.proxy().loseAnswer(1, LockRequestTypes.DELETIONS);
		}
		awaitNodes(0);
		assertThat(deleted).succeedsWithin(PATIENCE);
		assertThat(reasons).hasSize(2);
	}

}
