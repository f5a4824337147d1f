package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of one key in all modes, who come, take, release, downgrade, forfeit, lose and
 * give up in a random order, with steps, answers and timers that are late, beside other
 * clients in the queue. The same seed does the same.
 */
class CohortModesFuzzTests {

	private static final int SEEDS = Integer.getInteger("cohort.fuzz.seeds", 150);

	private static final int FIRST_SEED = Integer.getInteger("cohort.fuzz.first", 1);

	private static final int ACTIONS = 80;

	private static final int ROUNDS = 100;

	@ParameterizedTest
	@CsvSource({ "1, true", "2, true", "1, false" })
	void whateverTheOrderWritersAreAloneReadersTogetherAndNobodyWaitsForLong(int strategies, boolean fair) {
		int downgrades = 0;
		for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
			Run run = new Run(seed, strategies, fair);
			run.play();
			downgrades += run.downgrades;
		}
		assertThat(downgrades).as("writers who became readers").isGreaterThan(SEEDS / 10);
	}

	/** One random order. */
	private static final class Run {

		private static final long LONGEST_WAIT = TimeUnit.MILLISECONDS.toNanos(60);

		private final PlayedEngine engine = new PlayedEngine();

		private final PlayedQueue queue = new PlayedQueue(this.engine);

		private final List<LockStrategy> strategies = new ArrayList<>();

		private final List<Caller> callers = new ArrayList<>();

		private final List<CompletionStage<Void>> releases = new ArrayList<>();

		private final List<String> wrong = new ArrayList<>();

		private final Random random;

		private final String name;

		private final boolean hot;

		private final Cohorts cohorts;

		private long lastToken = -1;

		private long lastWriteToken = -1;

		private int downgrades;

		Run(int seed, int strategies, boolean fair) {
			this.random = new Random(seed);
			this.name = "seed " + seed;
			this.hot = this.random.nextBoolean();
			for (int i = 0; i < strategies; i++) {
				this.strategies.add(this.queue.strategy(fair));
			}
			int[] maxCounts = { 0, 3, 3, 256 };
			this.cohorts = this.engine.cohorts(
					new Handoff(maxCounts[this.random.nextInt(maxCounts.length)], Duration.ofMillis(1),
							Duration.ofMillis(20), this.random.nextBoolean() ? Duration.ofMillis(30) : Duration.ZERO),
					1);
		}

		void play() {
			for (int i = 0; i < ACTIONS; i++) {
				act();
				if (this.random.nextInt(3) > 0) {
					this.engine.runSteps();
				}
				check();
			}
			for (int i = 0; i < ROUNDS; i++) {
				playLoad();
			}
			end();
			for (int i = 0; i < 3; i++) {
				playReaders();
				end();
			}
			assertNothingIsLeft();
		}

		private void act() {
			switch (this.random.nextInt(15)) {
				case 0, 1, 2 -> enter(mode(), this.random.nextInt(5) == 0);
				case 3, 4 -> takeOffered();
				case 5, 6 -> release();
				case 7 -> forfeitOrGiveUp();
				case 8 -> downgrade();
				case 9 -> otherClient();
				case 10, 11 -> this.queue.handle(1 + this.random.nextInt(3));
				case 12 ->
					this.engine.pass(this.random.nextInt(4) * ((this.random.nextInt(5) == 0) ? 2_000_000L : 100_000L));
				case 13 -> awake();
				default -> loseOrStep();
			}
		}

		private LockMode mode() {
			LockMode[] modes = { LockMode.READ, LockMode.READ, LockMode.WRITE, LockMode.EXCLUSIVE };
			return modes[this.random.nextInt(modes.length)];
		}

		private Caller enter(LockMode mode, boolean tryOnce) {
			Caller caller = new Caller(this, mode);
			this.callers.add(caller);
			caller.contender = this.cohorts.enter(new LockAttempt(List.of("key"), mode, tryOnce, "caller"),
					caller.strategy, caller);
			return caller;
		}

		private void takeOffered() {
			Caller caller = new Caller(this, this.random.nextBoolean() ? LockMode.WRITE : LockMode.EXCLUSIVE);
			OfferedGrant offered = this.cohorts.slots().offered("key", caller.mode, caller.strategy);
			if (offered != null && offered.take(caller)) {
				this.callers.add(caller);
			}
		}

		private void release() {
			Caller caller = any(Caller::holds);
			if (caller != null) {
				release(caller, this.random.nextInt(4) > 0);
				if (this.hot) {
					enter(caller.mode, false);
				}
			}
		}

		private void release(Caller caller, boolean mayLinger) {
			this.releases.add(caller.held.release(mayLinger));
			this.callers.remove(caller);
		}

		private void downgrade() {
			Caller caller = any((one) -> one.holds() && one.mode == LockMode.WRITE && !one.reads);
			if (caller != null) {
				caller.reads = true;
				this.downgrades++;
				caller.held.downgrade();
			}
		}

		// Who was woken, or was not and thinks so
		private void awake() {
			Caller caller = any((one) -> one.contender != null && (one.woken || this.random.nextInt(8) == 0));
			if (caller != null) {
				caller.contender.awake();
			}
		}

		private void forfeitOrGiveUp() {
			Caller caller = any((one) -> true);
			if (caller != null && caller.holds()) {
				this.releases.add(caller.held.forfeit());
				release(caller, false);
			}
			else if (caller != null) {
				this.releases.add(caller.contender.leave());
				this.callers.remove(caller);
			}
		}

		private void otherClient() {
			if (this.queue.isOthersFirst()) {
				this.queue.firstLeaves();
			}
			else if (this.queue.others() < 2) {
				this.queue.otherCame(mode());
			}
		}

		private void loseOrStep() {
			List<PlayedQueue.Node> held = this.queue.held();
			if (this.random.nextInt(4) == 0 && !held.isEmpty()) {
				held.get(this.random.nextInt(held.size())).lose();
			}
			else {
				this.engine.runSteps(1);
			}
		}

		private Caller any(Predicate<Caller> which) {
			List<Caller> those = this.callers.stream().filter(which).toList();
			return those.isEmpty() ? null : those.get(this.random.nextInt(those.size()));
		}

		// Callers come and go all the time, and the servers answer
		private void playLoad() {
			if (this.queue.isOthersFirst()) {
				this.queue.firstLeaves();
			}
			else if (this.queue.others() == 0 && this.random.nextInt(20) == 0) {
				this.queue.otherCame(mode());
			}
			answer();
			release();
			this.engine.runSteps();
			if (this.callers.size() < 12) {
				enter(mode(), false);
			}
			takeOffered();
			answer();
			this.engine.pass(this.random.nextInt(2_000_000));
			assertThat(this.queue.longestWaitOfOthers()).as("%s: another client waits", this.name)
				.isLessThan(LONGEST_WAIT);
		}

		// The servers answer all requests, and who was woken is awake
		private void answer() {
			this.queue.settle();
			this.engine.runSteps();
			this.queue.handle(Integer.MAX_VALUE);
			this.engine.runSteps();
			this.callers.stream().filter((one) -> one.woken && !one.holds()).toList().forEach(Caller::awake);
			this.engine.runSteps();
			check();
		}

		// Readers only, of all strategies: each is served, also if it tries once
		private void playReaders() {
			List<Caller> readers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				readers.add(enter(LockMode.READ, this.random.nextBoolean()));
				if (this.random.nextBoolean()) {
					answer();
				}
			}
			for (int i = 0; i < 40; i++) {
				answer();
				this.engine.pass(TimeUnit.MILLISECONDS.toNanos(1));
			}
			assertThat(readers).as("%s: readers wait for readers", this.name).allMatch(Caller::holds);
		}

		private void end() {
			this.queue.othersLeave();
			for (int i = 0; i < 200 && !this.callers.isEmpty(); i++) {
				answer();
				this.callers.stream().filter(Caller::holds).findFirst().ifPresent((one) -> release(one, true));
				this.engine.pass(TimeUnit.MILLISECONDS.toNanos(1));
			}
			assertThat(this.callers).as("%s: waits without end", this.name).isEmpty();
		}

		private void assertNothingIsLeft() {
			this.releases.add(this.cohorts.stopRetaining());
			for (int i = 0; i < 5; i++) {
				answer();
				this.engine.pass(TimeUnit.MILLISECONDS.toNanos(5));
			}
			assertThat(this.releases).as("%s: a release has no end", this.name)
				.allMatch((release) -> release.toCompletableFuture().isDone());
			assertThat(this.queue.isEmpty()).as("%s: no node is left", this.name).isTrue();
			assertThat(this.cohorts.count()).as("%s: a cohort is left", this.name).isZero();
		}

		private void note(boolean so, String otherwise) {
			if (!so) {
				this.wrong.add(otherwise);
			}
		}

		private void granted(LocalGrant held) {
			long token = held.token();
			if (held.isValid()) {
				note(token > (held.mode().isShared() ? this.lastWriteToken : this.lastToken), "tokens do not grow");
				this.lastToken = Math.max(this.lastToken, token);
				this.lastWriteToken = held.mode().isShared() ? this.lastWriteToken : token;
			}
		}

		private void check() {
			assertThat(this.wrong).as(this.name).isEmpty();
			assertThat(this.engine.failures.count()).as("%s: steps that failed", this.name).isZero();
			List<Caller> holding = this.callers.stream().filter((one) -> one.holds() && one.held.isValid()).toList();
			boolean readers = holding.stream().allMatch((one) -> one.reads);
			assertThat(readers || holding.size() == 1).as("%s: readers, or one alone", this.name).isTrue();
			assertThat(!holding.isEmpty() && this.queue.isOthersBeside(readers))
				.as("%s: another client holds", this.name)
				.isFalse();
		}

	}

	/** One who waits, or holds. */
	private static final class Caller implements LocalContenderListener {

		private final Run run;

		private final LockMode mode;

		private final LockStrategy strategy;

		private final boolean asleep;

		private LocalContender contender;

		private LocalGrant held;

		private boolean woken;

		private boolean reads;

		private Caller(Run run, LockMode mode) {
			this.run = run;
			this.mode = mode;
			this.reads = mode.isShared();
			this.asleep = run.random.nextInt(4) > 0;
			this.strategy = run.strategies.get(run.random.nextInt(run.strategies.size()));
		}

		boolean holds() {
			return this.held != null;
		}

		void awake() {
			this.contender.awake();
		}

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public boolean isAsleep() {
			return this.asleep;
		}

		@Override
		public void wake() {
			this.run.note(!this.woken && this.held == null, "woken twice, or with the grant");
			this.woken = true;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			this.run.note(this.held == null, "granted twice");
			this.held = localGrants.get(0);
			this.run.note(this.held.mode() == this.mode, "another mode");
			this.run.granted(this.held);
		}

		@Override
		public void busy(Blocker blocker) {
			this.run.note(this.held == null, "busy, and granted");
			this.run.callers.remove(this);
		}

		@Override
		public void failed(LockException cause) {
			this.run.note(false, "failed: " + cause);
		}

		@Override
		public void lost(String key, LostReason reason) {
			this.run.note(this.held != null, "lost, and never granted");
		}

	}

}
