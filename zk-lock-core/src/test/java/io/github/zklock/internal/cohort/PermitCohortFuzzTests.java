package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of one key's permits who come, release, forfeit, lose and give up in a random
 * order, with steps, answers and timers that are late, beside another client that has
 * permits, too. Where nobody here holds or waits the number of permits may change. The
 * same seed does the same.
 */
class PermitCohortFuzzTests {

	private static final int SEEDS = Integer.getInteger("cohort.fuzz.seeds", 1_500);

	private static final int FIRST_SEED = Integer.getInteger("cohort.fuzz.first", 1);

	private static final int ACTIONS = 80;

	@Test
	@Tag("PermitCohort.I5")
	@Tag("PermitCohort.I6")
	void whateverTheOrderNoMoreHoldThanMayWhoCameFirstIsFirstAndNothingIsLeft() {
		int served = 0;
		int numbers = 0;
		for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
			Run run = new Run(seed);
			run.play();
			served += run.served;
			numbers += run.numbers;
		}
		assertThat(numbers).as("changes of the number of permits").isGreaterThan(SEEDS);
		assertThat(served).as("callers who were served").isGreaterThan(5 * SEEDS);
	}

	/** One random order. */
	private static final class Run implements LockStrategy {

		private final Random random;

		private final String name;

		private final PlayedEngine engine = new PlayedEngine();

		private final List<Node> queue = new ArrayList<>();

		private final List<Node> nodes = new ArrayList<>();

		private final List<Caller> callers = new ArrayList<>();

		private final List<CompletionStage<Void>> releases = new ArrayList<>();

		private final List<String> wrong = new ArrayList<>();

		private final Cohorts cohorts;

		private final boolean fair;

		private int permits;

		private long zxid;

		private int served;

		private int numbers;

		Run(int seed) {
			this.random = new Random(seed);
			this.name = "seed " + seed;
			this.permits = 1 + this.random.nextInt(4);
			this.fair = this.random.nextInt(3) > 0;
			Handoff handoff = new Handoff(this.random.nextBoolean() ? 256 : 3, Duration.ofMillis(1),
					Duration.ofMillis(20), this.random.nextBoolean() ? Duration.ofMillis(30) : Duration.ZERO);
			this.cohorts = this.engine.cohorts(handoff, 2);
		}

		void play() {
			for (int i = 0; i < ACTIONS; i++) {
				act();
				if (this.random.nextInt(3) > 0) {
					this.engine.runSteps();
				}
				check();
			}
			end();
		}

		private void act() {
			if (this.random.nextInt(60) == 0) {
				changeNumber();
				return;
			}
			switch (this.random.nextInt(14)) {
				case 0, 1, 2, 3 -> enter(this.random.nextInt(5) == 0);
				case 4, 5, 6 -> leave();
				case 7, 8 -> anotherClient();
				case 9, 10 -> handle(1 + this.random.nextInt(3));
				case 11 -> this.engine.pass(this.random.nextInt(4) * 100_000L);
				default -> loseOrStep();
			}
		}

		private void enter(boolean tryOnce) {
			Caller caller = new Caller(this, tryOnce);
			this.callers.add(caller);
			caller.contender = this.cohorts.enter(new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE),
					List.of(this.permits), tryOnce, "caller", false), this, caller);
		}

		private void leave() {
			if (!this.callers.isEmpty()) {
				leave(this.callers.get(this.random.nextInt(this.callers.size())));
			}
		}

		private void leave(Caller caller) {
			if (caller.held == null) {
				this.releases.add(caller.contender.leave());
			}
			else if (this.random.nextInt(4) > 0) {
				this.releases.add(caller.held.release(this.random.nextInt(4) > 0));
			}
			else {
				this.releases.add(caller.held.forfeit());
			}
			caller.over();
		}

		// Some of those who have left may still have their nodes
		private void changeNumber() {
			List.copyOf(this.callers).forEach(this::leave);
			this.queue.removeIf((node) -> node.listener == null);
			this.permits = 1 + this.random.nextInt(4);
			this.numbers++;
			settle();
		}

		private void anotherClient() {
			List<Node> theirs = this.queue.stream().filter((node) -> node.listener == null).toList();
			if (theirs.size() > this.random.nextInt(this.permits + 1)) {
				this.queue.remove(theirs.get(this.random.nextInt(theirs.size())));
			}
			else {
				this.queue.add(new Node(this, null));
			}
			settle();
		}

		private void handle(int most) {
			this.engine.handle(most);
			this.nodes.forEach(Node::answer);
		}

		private void loseOrStep() {
			List<Node> held = this.queue.stream().filter((node) -> node.listener != null && node.granted).toList();
			if (!held.isEmpty() && this.random.nextInt(4) == 0) {
				held.get(this.random.nextInt(held.size())).lose();
			}
			else {
				this.engine.runSteps(1);
			}
		}

		// The server: as many are granted as may be, the first ones or any
		private void settle() {
			List<Node> waiting = new ArrayList<>(this.queue.stream().filter((node) -> !node.granted).toList());
			if (!this.fair) {
				Collections.shuffle(waiting, this.random);
			}
			int free = this.permits - (this.queue.size() - waiting.size());
			waiting.stream().limit(Math.max(0, free)).forEach(Node::grant);
			if (this.queue.size() > this.permits) {
				this.queue.stream().filter((node) -> node.granted).forEach((node) -> node.contended.complete(null));
			}
		}

		private boolean isContended() {
			return this.queue.size() > this.permits;
		}

		private void came(Caller caller) {
			this.served++;
			if (!caller.tryOnce && this.callers.contains(caller)) {
				Caller first = this.callers.stream()
					.filter((one) -> !one.tryOnce && (one.held == null || one == caller))
					.findFirst()
					.orElseThrow();
				note(first == caller, "one who came before waits");
			}
		}

		// What a step throws ends the cohort
		private void note(boolean so, String otherwise) {
			if (!so) {
				this.wrong.add(otherwise);
			}
		}

		private void check() {
			assertThat(this.wrong).as(this.name).isEmpty();
			long ours = this.callers.stream().filter((one) -> one.held != null && one.held.isValid()).count();
			long theirs = this.queue.stream().filter((node) -> node.listener == null && node.granted).count();
			assertThat(ours + theirs).as(this.name).isLessThanOrEqualTo(this.permits);
		}

		private void end() {
			this.queue.removeIf((node) -> node.listener == null);
			for (int i = 0; i < 200; i++) {
				settle();
				this.engine.runSteps();
				handle(Integer.MAX_VALUE);
				check();
				firstToLeave().ifPresent(this::leave);
				this.engine.pass(TimeUnit.MILLISECONDS.toNanos(1));
			}
			assertThat(this.callers).as("%s: waits without end", this.name).isEmpty();
			this.releases.add(this.cohorts.stopRetaining());
			for (int i = 0; i < 5; i++) {
				this.engine.runSteps();
				handle(Integer.MAX_VALUE);
			}
			assertThat(this.releases).as("%s: a release has no end", this.name)
				.allMatch((release) -> release.toCompletableFuture().isDone());
			assertThat(this.queue).as("%s: a node is left", this.name).isEmpty();
			assertThat(this.cohorts.count()).as("%s: a cohort is left", this.name).isZero();
		}

		// Who has lost a permit leaves last: nobody waits for that
		private Optional<Caller> firstToLeave() {
			boolean somebodyWaits = this.callers.stream().anyMatch((one) -> one.held == null);
			return this.callers.stream()
				.filter((one) -> one.held != null && (one.held.isValid() || !somebodyWaits))
				.findFirst();
		}

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			Node node = new Node(this, listener);
			this.nodes.add(node);
			this.engine.request(() -> {
				this.queue.add(node);
				settle();
				if (!node.granted) {
					listener.blocked(new Blocker("key", "another", true, null));
				}
			});
			return node;
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

		@Override
		public boolean isFair() {
			return this.fair;
		}

	}

	/** One who waits, or holds. */
	private static final class Caller implements LocalContenderListener {

		private final Run run;

		private final boolean tryOnce;

		private LocalContender contender;

		private LocalGrant held;

		private Caller(Run run, boolean tryOnce) {
			this.run = run;
			this.tryOnce = tryOnce;
		}

		void over() {
			this.run.callers.remove(this);
		}

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			this.run.note(this.held == null, "granted twice");
			this.held = localGrants.get(0);
			this.run.came(this);
		}

		@Override
		public void busy(Blocker blocker) {
			this.run.note(this.tryOnce, "busy, and wants to wait");
			over();
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

	/** A node in the queue; without a listener, another client's. */
	private static final class Node extends PlayedNode {

		private final Run run;

		private Node(Run run, ContenderListener listener) {
			super(LockMode.EXCLUSIVE, listener);
			this.run = run;
		}

		@Override
		long number() {
			return ++this.run.zxid;
		}

		@Override
		boolean isFollowed() {
			return this.run.isContended();
		}

		@Override
		void delete() {
			this.run.engine.request(() -> {
				this.run.queue.remove(this);
				deleted();
				this.run.settle();
			});
		}

		@Override
		void deletedBySession() {
			this.run.queue.remove(this);
		}

		@Override
		void lose() {
			super.lose();
			this.run.settle();
		}

	}

}
