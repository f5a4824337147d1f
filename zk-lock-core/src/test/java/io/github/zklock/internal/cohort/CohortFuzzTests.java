package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 * Callers of one key who come, take, release, forfeit, lose and give up in a random
 * order, with steps, answers and timers that are late, beside another client in the
 * queue. The same seed does the same.
 */
class CohortFuzzTests {

	private static final int SEEDS = Integer.getInteger("cohort.fuzz.seeds", 1_500);

	private static final int FIRST_SEED = Integer.getInteger("cohort.fuzz.first", 1);

	private static final int ACTIONS = 80;

	@Test
	@Tag("GrantSlot.I2")
	@Tag("GrantSlot.I5")
	void whateverTheOrderOneHoldsAndNothingIsLeft() {
		int wakes = 0;
		for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
			Run run = new Run(seed);
			run.play();
			wakes += run.wakes;
		}
		assertThat(wakes).as("callers who were woken").isGreaterThan(SEEDS / 10);
	}

	/** One random order. */
	private static final class Run implements LockStrategy {

		private final Random random;

		private final String name;

		private final PlayedEngine engine = new PlayedEngine();

		private final List<Object> queue = new ArrayList<>();

		private final List<Caller> callers = new ArrayList<>();

		private final List<OfferedGrant> offers = new ArrayList<>();

		private final List<CompletionStage<Void>> releases = new ArrayList<>();

		private final List<Node> nodes = new ArrayList<>();

		private final List<String> wrong = new ArrayList<>();

		private final Cohorts cohorts;

		private long zxid;

		private long lastToken = -1;

		private int wakes;

		private final boolean hot;

		Run(int seed) {
			this.random = new Random(seed);
			this.name = "seed " + seed;
			this.hot = this.random.nextBoolean();
			Handoff handoff = new Handoff(this.random.nextBoolean() ? 256 : 3, Duration.ofMillis(1),
					Duration.ofMillis(20), this.random.nextBoolean() ? Duration.ofMillis(30) : Duration.ZERO);
			this.cohorts = this.engine.cohorts(handoff, 1);
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
			switch (this.random.nextInt(14)) {
				case 0, 1 -> enter(this.random.nextInt(5) == 0);
				case 2 -> offer();
				case 3, 4 -> takeOffered();
				case 5, 6, 7 -> release();
				case 8 -> forfeitOrGiveUp();
				case 9 -> foreigner();
				case 10 -> handle(1 + this.random.nextInt(3));
				case 11 -> this.engine.pass(this.random.nextInt(4) * 100_000L);
				case 12 -> awake();
				default -> loseOrStep();
			}
		}

		private void enter(boolean tryOnce) {
			Caller caller = new Caller(this);
			this.callers.add(caller);
			caller.contender = this.cohorts
				.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, tryOnce, "caller"), this, caller);
		}

		private void offer() {
			OfferedGrant offered = this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, this);
			if (offered != null) {
				this.offers.add(offered);
			}
		}

		// Also one that was offered long ago
		private void takeOffered() {
			offer();
			if (!this.offers.isEmpty()) {
				Caller caller = new Caller(this);
				if (this.offers.remove(this.random.nextInt(this.offers.size())).take(caller)) {
					this.callers.add(caller);
				}
			}
		}

		private void release() {
			Caller caller = any();
			if (caller != null && caller.held != null) {
				this.releases.add(caller.held.release(this.random.nextInt(4) > 0));
				caller.over();
				if (this.hot) {
					enter(false);
				}
			}
		}

		// Who was woken, or was not and thinks so
		private void awake() {
			Caller caller = any();
			if (caller != null && caller.contender != null && (caller.woken || this.random.nextInt(8) == 0)) {
				caller.contender.awake();
			}
		}

		private void forfeitOrGiveUp() {
			Caller caller = any();
			if (caller != null && caller.held != null) {
				this.releases.add(caller.held.forfeit());
				this.releases.add(caller.held.release());
				caller.over();
			}
			else if (caller != null && caller.contender != null) {
				this.releases.add(caller.contender.leave());
				caller.over();
			}
		}

		private void foreigner() {
			Object first = this.queue.isEmpty() ? null : this.queue.get(0);
			if (first instanceof String) {
				this.queue.remove(0);
			}
			else if (this.queue.stream().noneMatch((node) -> node instanceof String)) {
				this.queue.add("another client");
			}
			settle();
		}

		private void handle(int most) {
			this.engine.handle(most);
			this.nodes.forEach(Node::answer);
		}

		private void loseOrStep() {
			if (this.random.nextInt(4) == 0 && !this.queue.isEmpty() && this.queue.get(0) instanceof Node held
					&& held.granted) {
				held.lose();
			}
			else {
				this.engine.runSteps(1);
			}
		}

		private Caller any() {
			return this.callers.isEmpty() ? null : this.callers.get(this.random.nextInt(this.callers.size()));
		}

		// The server: the first of the queue is granted
		private void settle() {
			if (!this.queue.isEmpty() && this.queue.get(0) instanceof Node first && !first.isLeaving()) {
				first.grant();
			}
			for (int i = 0; i < this.queue.size() - 1; i++) {
				if (this.queue.get(i) instanceof Node node && node.granted) {
					node.contended.complete(null);
				}
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
			long holding = this.callers.stream()
				.filter((caller) -> caller.held != null && caller.held.isValid())
				.count();
			assertThat(holding).as(this.name).isLessThanOrEqualTo(1);
			if (!this.queue.isEmpty() && this.queue.get(0) instanceof String) {
				assertThat(holding).as("%s: another client holds", this.name).isZero();
			}
		}

		private void end() {
			this.queue.removeIf((node) -> node instanceof String);
			for (int i = 0; i < 200; i++) {
				settle();
				this.engine.runSteps();
				handle(Integer.MAX_VALUE);
				check();
				this.callers.stream()
					.filter((caller) -> caller.woken && caller.contender != null && caller.held == null)
					.toList()
					.forEach((caller) -> caller.contender.awake());
				Caller holder = this.callers.stream().filter((caller) -> caller.held != null).findFirst().orElse(null);
				if (holder != null) {
					this.releases.add(holder.held.release(true));
					holder.over();
				}
				this.engine.pass(TimeUnit.MILLISECONDS.toNanos(1));
			}
			this.callers.removeIf((caller) -> caller.ended);
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
			assertThat(this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, this)).as(this.name).isNull();
		}

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			Node node = new Node(this, attempt, listener);
			this.nodes.add(node);
			this.engine.request(() -> {
				this.queue.add(node);
				if (this.queue.get(0) instanceof String) {
					listener.blocked(new Blocker("key", "another client", true, null));
				}
				settle();
			});
			return node;
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

		@Override
		public boolean isFair() {
			return true;
		}

	}

	/** One who waits, or holds. */
	private static final class Caller implements LocalContenderListener {

		private final Run run;

		private LocalContender contender;

		private LocalGrant held;

		private boolean ended;

		private boolean woken;

		private final boolean asleep;

		private Caller(Run run) {
			this.run = run;
			this.asleep = run.random.nextInt(4) > 0;
		}

		void over() {
			this.run.callers.remove(this);
			this.ended = true;
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
			this.run.wakes++;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			this.held = localGrants.get(0);
			this.run.note(this.held.token() > this.run.lastToken, "tokens do not grow");
			this.run.lastToken = this.held.token();
		}

		@Override
		public void busy(Blocker blocker) {
			this.contender = null;
			this.ended = true;
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

	/** A node of ours in the queue. */
	private static final class Node extends PlayedNode {

		private final Run run;

		private Node(Run run, LockAttempt attempt, ContenderListener listener) {
			super(attempt.mode(), listener);
			this.run = run;
		}

		@Override
		long number() {
			return ++this.run.zxid;
		}

		@Override
		boolean isFollowed() {
			return this.run.queue.indexOf(this) < this.run.queue.size() - 1;
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
