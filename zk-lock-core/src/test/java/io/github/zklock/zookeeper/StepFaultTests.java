package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Each step of the engine fails once: of acquiring, handing off, retaining, holding,
 * releasing and closing, and of a session's end. Whatever it was, each caller gets an
 * answer in time, no two hold, other keys go on and nothing is left.
 */
@Tag("slow")
class StepFaultTests {

	/** Of calls that a failed step may keep from the lock. */
	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration GRACE = Duration.ofMillis(250);

	/** Also of calls that must get it. */
	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration SHORT_SESSION = Duration.ofSeconds(9);

	private static final int MOST_STEPS = 400;

	/** They mostly wait. */
	private static final int STEPS_AT_ONCE = 8;

	private static final int STEPS_OF_HOLDING = 8;

	private static final int STEPS_IN_ONE_SESSION = 30;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final List<Call> calls = new CopyOnWriteArrayList<>();

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private CuratorFramework connection;

	private CuratorFramework shortLived;

	private LockClient other;

	private String strategy;

	private Handoff handoff = Handoff.DEFAULT;

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true", "naive, false", "naive, true" })
	void whicheverStepFails(String name, boolean atTheEnd) throws Exception {
		eachStep(name, atTheEnd, 20, (client, key, faults) -> {
			faults.begin();
			Call first = call(client, LockMode.EXCLUSIVE, key);
			first.await();
			Call second = call(client, LockMode.EXCLUSIVE, key);
			Call third = call(PATIENCE, this.other, LockMode.EXCLUSIVE, key);
			noTwoHold();
			first.release();
			second.await();
			noTwoHold();
			boolean failed = faults.where() != null;
			Call elsewhere = call(failed ? PATIENCE : TIMEOUT, client, LockMode.EXCLUSIVE, "stock-" + key);
			elsewhere.await();
			assertThat(elsewhere.handle != null || !failed).as("another key").isTrue();
			elsewhere.release();
			second.release();
			third.awaitHandle();
			third.release();
		});
	}

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true", "naive, false", "naive, true" })
	void whicheverStepOfReadersAndWritersFails(String name, boolean atTheEnd) throws Exception {
		eachStep(name, atTheEnd, 20, (client, key, faults) -> {
			Call elsewhere = call(PATIENCE, this.other, LockMode.READ, key);
			elsewhere.awaitHandle();
			faults.begin();
			Call reader = call(client, LockMode.READ, key);
			Call second = call(client, LockMode.READ, key);
			reader.await();
			second.await();
			Call writer = call(client, LockMode.WRITE, key);
			Call late = call(client, LockMode.READ, key);
			noTwoHold();
			late.releaseAtOnce();
			reader.release();
			second.release();
			elsewhere.release();
			writer.await();
			noTwoHold();
			Call next = call(PATIENCE, this.other, LockMode.WRITE, key);
			next.releaseAtOnce();
			writer.release();
			late.await();
			next.awaitHandle();
		});
	}

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true", "naive, false", "naive, true" })
	void whicheverStepForSeveralKeysFails(String name, boolean atTheEnd) throws Exception {
		eachStep(name, atTheEnd, 10, (client, key, faults) -> {
			Call before = call(PATIENCE, this.other, LockMode.EXCLUSIVE, key + "-b");
			before.awaitHandle();
			faults.begin();
			Call both = call(client, LockMode.EXCLUSIVE, key, key + "-b");
			Call one = call(client, LockMode.EXCLUSIVE, key + "-a");
			one.await();
			Call after = call(PATIENCE, this.other, LockMode.EXCLUSIVE, key + "-a", key);
			noTwoHold();
			both.releaseAtOnce();
			after.releaseAtOnce();
			before.release();
			one.release();
			both.await();
			after.awaitHandle();
		});
	}

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true" })
	void whicheverStepOfRetainingFails(String name, boolean atTheEnd) throws Exception {
		this.handoff = new Handoff(64, Duration.ofSeconds(1), Duration.ofMinutes(1));
		eachStep(name, atTheEnd, 10, (client, key, faults) -> {
			Call first = call(PATIENCE, client, LockMode.EXCLUSIVE, key);
			first.awaitHandle();
			faults.begin();
			first.release();
			Call second = call(client, LockMode.EXCLUSIVE, key);
			second.await();
			second.release();
			Call elsewhere = call(PATIENCE, this.other, LockMode.EXCLUSIVE, key);
			elsewhere.awaitHandle();
			noTwoHold();
			elsewhere.release();
			Call last = call(client, LockMode.EXCLUSIVE, key);
			last.await();
			last.release();
		});
	}

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true", "naive, false", "naive, true" })
	void whicheverStepOfClosingFails(String name, boolean atTheEnd) throws Exception {
		eachStep(name, atTheEnd, 4, (client, key, faults) -> {
			Call elsewhere = call(PATIENCE, this.other, LockMode.EXCLUSIVE, key + "-b");
			elsewhere.awaitHandle();
			Call holder = call(PATIENCE, client, LockMode.EXCLUSIVE, key);
			holder.awaitHandle();
			Call here = call(client, LockMode.EXCLUSIVE, key);
			Call there = call(client, LockMode.EXCLUSIVE, key + "-b");
			await().until(() -> this.zk.contenders(key + "-b").size() == 2 || name.equals("naive"));
			faults.begin();
			client.close();
			here.await();
			there.await();
			assertThat(holder.isHeld() || here.isHeld() || there.isHeld()).as("held after the end").isFalse();
			elsewhere.release();
		});
	}

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true", "naive, false", "naive, true" })
	void whicheverStepOfASessionsEndFails(String name, boolean atTheEnd) throws Exception {
		prepare(name);
		int tried = 0;
		int failed = 0;
		while (failed == tried && failed < MOST_STEPS) {
			failed += loseASession(tried, atTheEnd);
			tried += STEPS_IN_ONE_SESSION;
		}
		assertThat(failed).as("steps that failed, each once").isBetween(25, MOST_STEPS - 1);
	}

	// All clients have one session, so that it ends once.
	private int loseASession(int before, boolean atTheEnd) throws Exception {
		this.connection = this.zk.curator(ZooKeeperFixture.SESSION);
		List<Losing> all = new ArrayList<>();
		for (int step = before + 1; step <= before + STEPS_IN_ONE_SESSION; step++) {
			all.add(new Losing("orders-" + step, step, atTheEnd));
		}
		for (Losing losing : all) {
			losing.faults.begin();
		}
		this.zk.expireSession(all.get(0).client);
		int failed = 0;
		for (Losing losing : all) {
			losing.check();
			failed += (losing.faults.where() != null) ? 1 : 0;
		}
		return failed;
	}

	// Each of them holds two keys for longer than its lease lasts without a heartbeat.
	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void whicheverStepOfHoldingFails(String name) throws Exception {
		prepare(name);
		this.shortLived = this.zk.curator(SHORT_SESSION);
		List<Holding> all = new ArrayList<>();
		for (int step = 1; step <= STEPS_OF_HOLDING; step++) {
			all.add(new Holding("orders-" + step, step, false));
			all.add(new Holding("stock-" + step, step, true));
		}
		for (Holding holding : all) {
			await("a failed step").atMost(PATIENCE).until(() -> holding.faults.where() != null);
			holding.beginToWatch();
		}
		for (Holding holding : all) {
			holding.check();
		}
	}

	private void prepare(String name) {
		this.zk.announce("A step of");
		this.zk.announce("A hold of");
		this.strategy = name;
		this.connection = this.zk.curator(ZooKeeperFixture.SESSION);
		this.other = this.zk.client().strategy(name).open();
	}

	private void eachStep(String name, boolean atTheEnd, int fewest, Scenario scenario) throws Exception {
		prepare(name);
		ExecutorService several = Executors.newFixedThreadPool(STEPS_AT_ONCE);
		try {
			int failed = 0;
			boolean more = true;
			while (more && failed < MOST_STEPS) {
				List<Callable<Boolean>> next = new ArrayList<>();
				for (int step = failed + 1; step <= failed + STEPS_AT_ONCE; step++) {
					int one = step;
					next.add(() -> run(scenario, one, atTheEnd));
				}
				for (Future<Boolean> hasFailed : several.invokeAll(next)) {
					more = hasFailed.get();
					failed += more ? 1 : 0;
				}
			}
			assertThat(failed).as("steps that failed, each once").isBetween(fewest, MOST_STEPS - 1);
		}
		finally {
			several.shutdownNow();
		}
	}

	private boolean run(Scenario scenario, int step, boolean atTheEnd) throws Exception {
		String key = "orders-" + step;
		LockClient client = client(this.connection);
		Faults faults = new Faults(client, step, atTheEnd);
		try {
			scenario.play(client, key, faults);
			client.close();
			awaitNothingLeft(client, key);
			neverHaveTwoHeld();
		}
		catch (Throwable ex) {
			throw new AssertionError("With step " + step + " failing, of " + faults.where(), ex);
		}
		return faults.where() != null;
	}

	private LockClient client(CuratorFramework curator) {
		return this.zk.client()
			.strategy(this.strategy)
			.curator(curator)
			.with((builder) -> builder.handoff(this.handoff))
			.open();
	}

	private void awaitNothingLeft(LockClient client, String key) {
		await("nothing left").atMost(PATIENCE).untilAsserted(() -> {
			assertThat(this.zk.contenders(key)).isEmpty();
			assertThat(OpenCounts.of(client)).isZero();
		});
	}

	private Call call(LockClient client, LockMode mode, String... keys) {
		return call(TIMEOUT, client, mode, keys);
	}

	private Call call(Duration timeout, LockClient client, LockMode mode, String... keys) {
		Call call = new Call(client, LockRequest.keys(List.of(keys)).mode(mode).timeout(timeout));
		this.calls.add(call);
		return call;
	}

	private void neverHaveTwoHeld() {
		assertThat(this.violations).as("granted while another one held").isEmpty();
	}

	private void noTwoHold() {
		neverHaveTwoHeld();
		for (Call one : this.calls) {
			for (Call two : this.calls) {
				if (one != two && one.excludes(two)) {
					assertThat(one.isHeld() && two.isHeld() && one.isHeld()).as("two hold").isFalse();
				}
			}
		}
	}

	/** What is done while a step fails. */
	private interface Scenario {

		void play(LockClient client, String key, Faults faults) throws Exception;

	}

	/** Lets a step fail, of those that are made from some moment on. */
	private static final class Faults {

		private final LockClient client;

		private final int failing;

		private final boolean atTheEnd;

		private StepFaults begun;

		Faults(LockClient client, int failing, boolean atTheEnd) {
			this.client = client;
			this.failing = failing;
			this.atTheEnd = atTheEnd;
		}

		void begin() {
			this.begun = StepFaults.in(failures(), this.failing, this.atTheEnd);
		}

		void end() {
			StepFaults.end(failures());
		}

		private StepFailures failures() {
			return ((ZooKeeperLockClient) this.client).parts().source().failures();
		}

		String where() {
			return (this.begun != null) ? this.begun.where() : null;
		}

	}

	/** A client that holds and waits while its session ends and a step fails. */
	private final class Losing {

		private final LockClient client;

		private final Faults faults;

		private final String key;

		private final Call elsewhere;

		private final Call holder;

		private final Call here;

		private final Call there;

		Losing(String key, int step, boolean atTheEnd) throws Exception {
			this.key = key;
			this.client = client(StepFaultTests.this.connection);
			this.elsewhere = call(PATIENCE, StepFaultTests.this.other, LockMode.EXCLUSIVE, key + "-b");
			this.elsewhere.awaitHandle();
			this.holder = call(PATIENCE, this.client, LockMode.EXCLUSIVE, key);
			this.holder.awaitHandle();
			this.here = call(this.client, LockMode.EXCLUSIVE, key);
			this.there = call(this.client, LockMode.EXCLUSIVE, key + "-b");
			this.faults = new Faults(this.client, step, atTheEnd);
		}

		void check() throws Exception {
			await("the loss").atMost(PATIENCE).until(() -> !this.holder.isHeld());
			this.elsewhere.release();
			this.here.await();
			this.there.await();
			noTwoHold();
			this.holder.release();
			this.here.release();
			this.there.release();
			this.faults.end();
			Call next = call(PATIENCE, this.client, LockMode.EXCLUSIVE, this.key);
			next.awaitHandle();
			next.release();
			this.client.close();
			awaitNothingLeft(this.client, this.key);
			neverHaveTwoHeld();
		}

	}

	/** A client that holds two keys while one of its steps fails. */
	private final class Holding {

		private final LockClient client;

		private final Faults faults;

		private final String key;

		private final Call first;

		private final Call second;

		private Stopwatch since;

		Holding(String key, int step, boolean atTheEnd) throws Exception {
			this.key = key;
			this.client = client(StepFaultTests.this.shortLived);
			this.first = new Call(this.client, LockRequest.exclusive(key).timeout(PATIENCE));
			this.second = new Call(this.client, LockRequest.exclusive(key + "-b").timeout(PATIENCE));
			this.first.awaitHandle();
			this.second.awaitHandle();
			this.faults = new Faults(this.client, step, atTheEnd);
			this.faults.begin();
		}

		void beginToWatch() {
			this.since = Stopwatch.start();
		}

		void check() throws Exception {
			await("the lease of then").atMost(PATIENCE).until(() -> this.since.running().compareTo(SHORT_SESSION) > 0);
			assertThat(this.first.isHeld() || this.second.isHeld()).as("a key whose step did not fail").isTrue();
			boolean lost = !this.first.isHeld() || !this.second.isHeld();
			assertThat(lost).as("lost, with a step of %s failing", this.faults.where())
				.isNotEqualTo(this.faults.where().equals("NodeWatch"));
			this.first.release();
			this.second.release();
			awaitNothingLeft(this.client, this.key);
		}

	}

	/** One call of acquireAsync, and what became of it. */
	private final class Call {

		private final LockRequest request;

		private final CompletableFuture<LockHandle> future;

		private final CompletableFuture<Duration> running;

		private LockHandle handle;

		Call(LockClient client, LockRequest request) {
			Stopwatch stopwatch = Stopwatch.start();
			this.request = request;
			this.future = client.acquireAsync(request);
			this.running = this.future.handle((acquired, failure) -> {
				noOtherHolds();
				return stopwatch.running();
			});
		}

		// Before the test goes on, and before releaseAtOnce() releases.
		private void noOtherHolds() {
			for (Call other : StepFaultTests.this.calls) {
				if (other != this && excludes(other) && isHeld() && other.isHeld() && isHeld()) {
					StepFaultTests.this.violations.add(this.request + " and " + other.request);
				}
			}
		}

		void await() throws Exception {
			try {
				assertThat(this.running.get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
					.isLessThanOrEqualTo(this.request.timeout().plus(GRACE));
				this.handle = this.future.get();
			}
			catch (ExecutionException ex) {
				assertThat(ex.getCause()).isInstanceOf(LockException.class);
			}
		}

		void awaitHandle() throws Exception {
			await();
			assertThat(this.handle).as("the handle of %s", this.request).isNotNull();
		}

		boolean isHeld() {
			LockHandle got = this.future.isCompletedExceptionally() ? null : this.future.getNow(null);
			return got != null && got.isHeld();
		}

		boolean excludes(Call another) {
			boolean shared = this.request.mode() == LockMode.READ && another.request.mode() == LockMode.READ;
			return !shared && this.request.keys().stream().anyMatch(another.request.keys()::contains);
		}

		// In whatever order they come, nobody waits for the test.
		@SuppressWarnings("FutureReturnValueIgnored") // awaited by await()
		void releaseAtOnce() {
			this.running.thenRun(() -> this.future.thenAccept(LockHandle::release));
		}

		void release() throws Exception {
			if (this.handle != null) {
				this.handle.releaseAsync().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			}
		}

	}

}
