package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * The warning that a caller waits for long.
 */
@Timeout(60)
class SlowWaitWarningTests {

	private static final String KEY = "orders";

	private static final String WARNING = "has waited 100ms for lock 'orders': ";

	private static final LockQueue NOBODY = new LockQueue(KEY, List.of());

	private final NeverGrants strategy = new NeverGrants();

	private final BlockingQueue<Runnable> callbacks = new LinkedBlockingQueue<>();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@BeforeEach
	void expectWarnings() {
		this.zk.announce("has waited 100ms");
	}

	private LockClient slow(String strategy) throws InterruptedException {
		return slow(strategy, Duration.ofMillis(100));
	}

	// Without a session, nobody can be seen in the way
	private LockClient slow(String strategy, Duration after) throws InterruptedException {
		LockClient client = this.zk.client()
			.strategy(strategy)
			.with((builder) -> builder.slowWait(after).slowWaitInterval(Duration.ZERO))
			.open();
		client.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		return client;
	}

	private LockClient other(String strategy) {
		return this.zk.client()
			.strategy(strategy)
			.with((builder) -> builder.application("billing").instance("billing-2"))
			.open();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void theHolderIsNamedWithItsHostAndItsBeginning(String strategy) throws Exception {
		LockHandle held = other(strategy).acquire(LockRequest.exclusive(KEY));
		CompletableFuture<LockHandle> waiting = slow(strategy).acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings()).containsPattern("Thread main " + WARNING
				+ "held by billing-2 \\(host .+, pid \\d+, thread main\\) since 20\\d\\d-[0-9T:.-]+Z"));
		held.release();
		Actor.get(waiting).release();
	}

	@Test
	void theHolderIsNamedAlsoByOneWhoIsQueuedFurtherBehind() throws Exception {
		LockHandle held = other("sequential").acquire(LockRequest.exclusive(KEY));
		LockClient between = this.zk.client().with((builder) -> builder.instance("between")).open();
		CompletableFuture<LockHandle> queued = between.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(between, KEY);
		CompletableFuture<LockHandle> waiting = slow("sequential").acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings()).contains(WARNING + "held by billing-2 ("));
		held.release();
		Actor.get(queued).release();
		Actor.get(waiting).release();
	}

	@Test
	void aHolderInTheSameProcessIsNamedByItsThread() throws Exception {
		LockClient client = slow("sequential");
		LockHandle held = client.acquire(LockRequest.exclusive(KEY));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(
				() -> assertThat(this.zk.warnings()).contains(WARNING + "held by this process (thread main) for "));
		held.release();
		Actor.get(waiting).release();
	}

	@Test
	void aStrangerIsNamedByItsNode() throws Exception {
		String foreign = this.zk.plant(this.zk.keyNode(KEY) + "/x-lock-0000000000", CreateMode.PERSISTENT);
		CompletableFuture<LockHandle> waiting = slow("sequential").acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings()).contains(WARNING + "held by the node " + foreign));
		this.zk.delete(foreign);
		Actor.get(waiting).release();
	}

	@Test
	void eachHolderOfSeveralKeysIsNamed() throws Exception {
		LockHandle held = other("sequential").acquire(LockRequest.exclusive("b"));
		CompletableFuture<LockHandle> waiting = slow("sequential")
			.acquireAsync(LockRequest.keys(List.of("a", "b", "c")));
		await().untilAsserted(() -> assertThat(this.zk.warnings())
			.contains("has waited 100ms for locks [a, b, c]: 'b' held by billing-2 ("));
		held.release();
		Actor.get(waiting).release();
	}

	@Test
	void withoutAnIntervalEachCallIsWarnedOfOnce() throws Exception {
		LockHandle held = other("sequential").acquire(LockRequest.exclusive(KEY));
		LockClient client = slow("sequential");
		CompletableFuture<LockHandle> first = client.acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings()).contains(WARNING));
		CompletableFuture<LockHandle> second = client.acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings().split(WARNING, -1)).hasSize(3));
		CompletableFuture<LockHandle> third = client.acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings().split(WARNING, -1)).hasSize(4));
		held.release();
		Actor.get(first).release();
		Actor.get(second).release();
		Actor.get(third).release();
	}

	@Test
	void anOutageIsReportedAsOne() throws Exception {
		LockClient client = slow("sequential");
		this.zk.servers().stop();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings())
			.contains(WARNING + "nobody was seen in the way; ZooKeeper does not say who holds it"));
		waiting.cancel(true);
	}

	@Test
	@Tag("SlowWaitWarnings.I4")
	void anOutageIsReportedOnceForAllKeys() throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder.slowWait(Duration.ofMillis(100))
				.slowWaitInterval(Duration.ofMinutes(1))
				.callbackExecutor(this.callbacks::add))
			.open();
		this.zk.servers().stop();
		List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, 50)
			.mapToObj((i) -> client.acquireAsync(LockRequest.exclusive(KEY + i)))
			.toList();
		// Each asks, and then handles the answer
		for (int i = 0; i < 2 * waiting.size(); i++) {
			nextCallback().run();
		}
		assertThat(this.zk.warnings().split("has waited 100ms for lock 'orders", -1)).hasSize(2);
		waiting.forEach((one) -> one.cancel(true));
	}

	@Test
	@Tag("SlowWaitWarnings.I4")
	void theNextWarningOfAnOutageSaysHowManyOtherKeysThereWere() throws Exception {
		LockClient client = neverGranting(Duration.ofSeconds(2));
		unanswered(client, KEY);
		int calls = 0;
		while (outageWarnings() < 2) {
			unanswered(client, KEY + calls / 2);
			calls++;
		}
		int others = (calls - 1) / 2;
		assertThat(others).isPositive();
		assertThat(this.zk.warnings())
			.endsWith("ZooKeeper does not say who holds it (other keys since the last such warning: " + others + ")");
	}

	@Test
	@Tag("SlowWaitWarnings.I4")
	void theKeysOfAnEarlierOutageAreNoOthers() throws Exception {
		Duration interval = Duration.ofMillis(500);
		LockClient client = neverGranting(interval);
		unanswered(client, KEY);
		unanswered(client, KEY + 1);
		Stopwatch since = Stopwatch.start();
		await().until(() -> since.elapsed().compareTo(interval.multipliedBy(2)) > 0);
		unanswered(client, KEY + 2);
		assertThat(this.zk.warnings()).contains("orders2").endsWith("ZooKeeper does not say who holds it");
	}

	@Test
	@Tag("SlowWaitWarnings.I4")
	void aKeyThatWasOnlyCountedInAnOutageIsWarnedOfAfterIt() throws Exception {
		LockClient client = neverGranting(Duration.ofMinutes(1));
		unanswered(client, "other");
		unanswered(client, KEY);
		assertThat(this.zk.warnings()).doesNotContain(WARNING);
		answered(client, KEY, (asked) -> asked.complete(NOBODY));
		awaitOneWarning();
	}

	private void unanswered(LockClient client, String key) throws InterruptedException {
		answered(client, key, (asked) -> asked.completeExceptionally(new LockUnavailableException("no answer", null)));
	}

	// Returns when the answer was handled
	private void answered(LockClient client, String key, Consumer<CompletableFuture<LockQueue>> answer)
			throws InterruptedException {
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(key));
		nextCallback().run();
		answer.accept(this.strategy.nextQuestion(key));
		nextCallback().run();
		waiting.cancel(true);
	}

	private Runnable nextCallback() throws InterruptedException {
		Runnable callback = this.callbacks.poll(10, TimeUnit.SECONDS);
		assertThat(callback).isNotNull();
		return callback;
	}

	private int outageWarnings() {
		return this.zk.warnings().split("nobody was seen in the way; ", -1).length - 1;
	}

	@Test
	void aCallThatEndsBeforeIsNotWarnedOf() throws Exception {
		LockHandle held = other("sequential").acquire(LockRequest.exclusive(KEY));
		this.zk.announce("has waited 1000ms");
		LockClient client = slow("sequential", Duration.ofSeconds(1));
		LockRequest impatient = LockRequest.exclusive(KEY).timeout(Duration.ofMillis(100));
		assertThat(Repeat.after(LockUnavailableException.class, () -> client.tryAcquire(impatient))).isEmpty();
		assertThat(client.tryAcquire(LockRequest.exclusive("other"))).hasValueSatisfying(LockHandle::release);
		CompletableFuture<LockHandle> slow = client.acquireAsync(LockRequest.exclusive(KEY));
		await().untilAsserted(() -> assertThat(this.zk.warnings()).contains("has waited 1000ms for lock 'orders': "));
		assertThat(this.zk.warnings().split("for lock 'orders'", -1)).hasSize(2);
		assertThat(this.zk.warnings()).doesNotContain("for lock 'other'");
		held.release();
		Actor.get(slow).release();
	}

	@Test
	@Tag("SlowWaitWarnings.I2")
	void aCallThatEndsWhileTheServersAreAskedTakesNoWarningFromOthers() throws Exception {
		LockClient client = neverGranting();
		CompletableFuture<LockHandle> first = waiting(client);
		CompletableFuture<LockQueue> asked = this.strategy.nextQuestion(KEY);
		first.cancel(true);
		asked.complete(NOBODY);
		CompletableFuture<LockHandle> second = waiting(client);
		this.strategy.nextQuestion(KEY).complete(NOBODY);
		awaitOneWarning();
		second.cancel(true);
	}

	@Test
	@Tag("SlowWaitWarnings.I1")
	@Tag("SlowWaitWarnings.I2")
	void aCallThatComesDueMeanwhileIsWarnedOfInItsPlace() throws Exception {
		LockClient client = neverGranting();
		CompletableFuture<LockHandle> first = waiting(client);
		CompletableFuture<LockQueue> asked = this.strategy.nextQuestion(KEY);
		CompletableFuture<LockHandle> second = waiting(client);
		CompletableFuture<LockHandle> third = waiting(client);
		awaitAllDue(client);
		first.cancel(true);
		second.cancel(true);
		asked.complete(NOBODY);
		this.strategy.nextQuestion(KEY).complete(NOBODY);
		awaitOneWarning();
		third.cancel(true);
		assertThat(this.strategy.questions).isEmpty();
	}

	@Test
	@Tag("SlowWaitWarnings.I3")
	void whoIsDecidedMakesRoomForACallThatComesDueLater() throws Exception {
		LockClient client = neverGranting();
		CompletableFuture<LockHandle> first = waiting(client);
		CompletableFuture<LockQueue> asked = this.strategy.nextQuestion(KEY);
		List<CompletableFuture<LockHandle>> many = Stream.generate(() -> waiting(client)).limit(100).toList();
		awaitAllDue(client);
		many.forEach((one) -> one.cancel(true));
		CompletableFuture<LockHandle> last = waiting(client);
		awaitAllDue(client);
		first.cancel(true);
		asked.complete(NOBODY);
		this.strategy.nextQuestion(KEY).complete(NOBODY);
		awaitOneWarning();
		last.cancel(true);
	}

	@Test
	@Tag("SlowWaitWarnings.I3")
	void aHundredCallsThatComeDueMeanwhileAreRemembered() throws Exception {
		LockClient client = neverGranting();
		CompletableFuture<LockHandle> first = waiting(client);
		CompletableFuture<LockQueue> asked = this.strategy.nextQuestion(KEY);
		List<CompletableFuture<LockHandle>> many = Stream.generate(() -> waiting(client)).limit(100).toList();
		CompletableFuture<LockHandle> oneTooMany = waiting(client);
		awaitAllDue(client);
		first.cancel(true);
		many.forEach((one) -> one.cancel(true));
		asked.complete(NOBODY);
		awaitAllDue(client);
		assertThat(this.strategy.questions).isEmpty();
		oneTooMany.cancel(true);
	}

	@Test
	void anAnswerThatCannotBeReadIsReported() throws Exception {
		this.zk.announce("No warning of a slow wait");
		CompletableFuture<LockHandle> waiting = waiting(neverGranting());
		this.strategy.nextQuestion(KEY).complete(null);
		await().untilAsserted(() -> assertThat(this.zk.warnings()).contains("No warning of a slow wait"));
		waiting.cancel(true);
	}

	private LockClient neverGranting(Duration interval) {
		return this.zk.client()
			.with((builder) -> builder.slowWait(Duration.ofMillis(100))
				.slowWaitInterval(interval)
				.strategy("never", this.strategy)
				.strategy("never")
				.callbackExecutor(this.callbacks::add))
			.open();
	}

	private LockClient neverGranting() {
		return this.zk.client()
			.with((builder) -> builder.slowWait(Duration.ofMillis(100))
				.slowWaitInterval(Duration.ofMinutes(1))
				.strategy("never", this.strategy)
				.strategy("never"))
			.open();
	}

	private static CompletableFuture<LockHandle> waiting(LockClient client) {
		return client.acquireAsync(LockRequest.exclusive(KEY));
	}

	// Calls come due in the order in which they began.
	private void awaitAllDue(LockClient client) throws InterruptedException {
		String key = "due-" + UUID.randomUUID();
		CompletableFuture<LockHandle> last = client.acquireAsync(LockRequest.exclusive(key));
		assertThat(this.strategy.nextQuestion(key)).isNotDone();
		last.cancel(true);
	}

	private void awaitOneWarning() {
		await().untilAsserted(() -> assertThat(this.zk.warnings().split(WARNING, -1)).hasSize(2));
	}

	@Test
	void aBadLimitIsRefused() {
		var builder = ZooKeeperLockClient.builder(this.zk.curator(ZooKeeperFixture.SESSION));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.slowWait(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.slowWait(Duration.ofSeconds(Long.MAX_VALUE)));
	}

	/** Grants nothing, and leaves the answers to the test. */
	private static final class NeverGrants implements LockStrategy {

		private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();

		CompletableFuture<LockQueue> nextQuestion(String key) throws InterruptedException {
			Question question = this.questions.poll(10, TimeUnit.SECONDS);
			assertThat(question).as("question to the servers").isNotNull();
			assertThat(question.key()).isEqualTo(key);
			return question.answer();
		}

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			return () -> CompletableFuture.completedStage(null);
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			CompletableFuture<LockQueue> answer = new CompletableFuture<>();
			this.questions.add(new Question(key, answer));
			return answer;
		}

	}

	private record Question(String key, CompletableFuture<LockQueue> answer) {
	}

}
