package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Four clients whose callers read and write one key again and again, before a queue whose
 * requests take their time. The clock is played, so the same seed does the same, on any
 * machine.
 */
class CohortPhasesTests {

	private static final int CLIENTS = 4;

	private static final int CALLERS = 4;

	private static final long WAY = TimeUnit.MICROSECONDS.toNanos(60);

	private static final long WRITE = TimeUnit.MICROSECONDS.toNanos(300);

	private static final long HOLD = TimeUnit.MICROSECONDS.toNanos(265);

	private static final long TIME = TimeUnit.SECONDS.toNanos(2);

	@ParameterizedTest
	@Tag("Bypass.I1")
	@ValueSource(ints = { 1, 2, 3 })
	void clientsThatMostlyReadReadTogetherAndNoWriterWaitsForLong(int seed) {
		Run run = new Run(seed, (client) -> 95);
		run.play();
		assertThat(run.locksPerSecond()).isGreaterThan(16_500);
		assertThat(run.longestWait(LockMode.WRITE)).isLessThan(TimeUnit.MILLISECONDS.toNanos(16));
		assertThat(run.longestWait(LockMode.READ)).isLessThan(TimeUnit.MILLISECONDS.toNanos(14));
	}

	@ParameterizedTest
	@Tag("Bypass.I3")
	@ValueSource(ints = { 1, 2, 3 })
	void clientsThatReadAndWriteAsOftenServeWritersTogetherAndNoReaderWaitsForLong(int seed) {
		Run run = new Run(seed, (client) -> 50);
		run.play();
		assertThat(run.locksPerSecond()).isGreaterThan(3_700);
		assertThat(run.longestWait(LockMode.READ)).isLessThan(TimeUnit.MILLISECONDS.toNanos(20));
	}

	@Test
	void clientsThatOnlyReadAndAreMostReadForAWholeTenureBesideOneThatWrites() {
		Run run = new Run(1, (client) -> (client == 0) ? 0 : 100);
		run.play();
		assertThat(run.locksPerSecond()).isGreaterThan(22_000);
	}

	@Test
	void aClientThatOnlyReadsDoesNotKeepTheKeyFromThreeThatWrite() {
		Run run = new Run(1, (client) -> (client == 0) ? 100 : 0);
		run.play();
		assertThat(run.locks(0)).isLessThan(2 * run.locks(1));
	}

	@ParameterizedTest
	@Tag("QueuedContender.I2")
	@ValueSource(ints = { 0, 50, 90, 99 })
	void nothingIsLeftOfCallersWhoAlsoGiveUp(int readPercent) {
		Run run = new Run(readPercent, (client) -> readPercent);
		run.patience = TimeUnit.MILLISECONDS.toNanos(4);
		run.play();
		assertThat(run.givenUp).isPositive();
		assertThat(run.queue).isEmpty();
		assertThat(run.clients).allMatch((client) -> client.count() == 0);
	}

	/** Some time with callers that lock again and again. */
	private static final class Run {

		private final Random random;

		private final PriorityQueue<Event> events = new PriorityQueue<>();

		private final List<Node> queue = new ArrayList<>();

		private final List<Caller> callers = new ArrayList<>();

		private final Set<Caller> holding = new HashSet<>();

		private final List<Cohorts> clients = new ArrayList<>();

		private long now;

		private long order;

		private long patience = Long.MAX_VALUE;

		private int givenUp;

		private boolean over;

		Run(int seed, IntUnaryOperator readPercent) {
			this.random = new Random(seed);
			for (int i = 0; i < CLIENTS; i++) {
				Cohorts client = new Cohorts(this::timer, () -> this.now, (key) -> Handoff.DEFAULT, () -> true,
						new StepFailures(), 1, () -> new SerialExecutor(new StepFailures()));
				this.clients.add(client);
				Queue side = new Queue(this);
				for (int j = 0; j < CALLERS; j++) {
					Caller caller = new Caller(this, client, side, readPercent.applyAsInt(i));
					this.callers.add(caller);
					after(this.random.nextInt(5_000_000), caller::come);
				}
			}
		}

		void play() {
			while (!this.events.isEmpty()) {
				Event next = this.events.remove();
				this.now = next.at();
				this.over = this.now > TIME;
				next.step().run();
			}
		}

		long locks(int client) {
			return this.callers.subList(client * CALLERS, (client + 1) * CALLERS)
				.stream()
				.mapToLong((caller) -> caller.served)
				.sum();
		}

		long locksPerSecond() {
			return IntStream.range(0, CLIENTS).mapToLong(this::locks).sum() * TimeUnit.SECONDS.toNanos(1) / TIME;
		}

		long longestWait(LockMode mode) {
			return this.callers.stream().mapToLong((caller) -> caller.longest.getOrDefault(mode, 0L)).max().orElse(0);
		}

		Runnable timer(long nanos, Runnable step) {
			long at = Math.min(Long.MAX_VALUE - this.now, Math.max(0, nanos)) + this.now;
			Event event = new Event(at, this.order++, step);
			this.events.add(event);
			return () -> this.events.remove(event);
		}

		void after(long nanos, Runnable step) {
			timer(nanos * (80 + this.random.nextInt(40)) / 100, step);
		}

		// All requests of all clients are handled in their order
		void changes(Runnable change, Runnable answer) {
			timer(WAY + WRITE, () -> {
				change.run();
				settle();
				after(WAY, answer);
			});
		}

		// Who is at the front sees that after a message and, behind several, a look
		private void settle() {
			for (int i = 0; i < this.queue.size(); i++) {
				Node node = this.queue.get(i);
				List<Node> before = this.queue.subList(0, i);
				if (!node.clear && before.stream().noneMatch(node::excludes)) {
					node.clear = true;
					look(node);
					after(3 * WAY, node::grant);
				}
				if (!node.contendedSeen
						&& this.queue.subList(i + 1, this.queue.size()).stream().anyMatch(node::excludes)) {
					node.contendedSeen = true;
					look(node);
					after(3 * WAY, () -> node.contended.complete(null));
				}
			}
		}

		// As a queue of names would say
		private void look(Node node) {
			List<String> names = new ArrayList<>();
			this.queue.forEach((one) -> names
				.add("%s__%010d".formatted(one.mode().isShared() ? "__READ" : "__WRIT", names.size())));
			node.heldByMost = NodeQueue.of(names).isHeldByMost(names.get(this.queue.indexOf(node)));
		}

		void holds(Caller caller, LockMode mode) {
			this.holding.add(caller);
			caller.mode = mode;
			boolean writes = this.holding.stream().anyMatch((one) -> one.mode == LockMode.WRITE);
			assertThat(writes && this.holding.size() > 1).as("a writer holds beside others").isFalse();
		}

	}

	private record Event(long at, long order, Runnable step) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.order, other.order);
		}

	}

	/** One who locks again and again. */
	private static final class Caller implements LocalContenderListener {

		private final Map<LockMode, Long> longest = new EnumMap<>(LockMode.class);

		private final Run run;

		private final Cohorts client;

		private final LockStrategy strategy;

		private final int readPercent;

		private LockMode mode = LockMode.READ;

		private long asked;

		private long served;

		private Runnable givingUp = () -> {
		};

		Caller(Run run, Cohorts client, LockStrategy strategy, int readPercent) {
			this.run = run;
			this.client = client;
			this.strategy = strategy;
			this.readPercent = readPercent;
		}

		void come() {
			if (!this.run.over) {
				boolean reads = this.run.random.nextInt(100) < this.readPercent;
				LockMode wanted = reads ? LockMode.READ : LockMode.WRITE;
				this.asked = this.run.now;
				LocalContender local = this.client.enter(new LockAttempt(List.of("key"), wanted, false, "caller"),
						this.strategy, this);
				if (!this.run.holding.contains(this)) {
					this.givingUp = this.run.timer(this.run.patience - 1, () -> giveUp(local));
				}
			}
		}

		private void giveUp(LocalContender local) {
			this.run.givenUp++;
			local.leave();
			this.run.after(HOLD, this::come);
		}

		@Override
		public long remainingNanos() {
			return this.run.patience;
		}

		@Override
		public void granted(List<LocalGrant> grants) {
			LocalGrant held = grants.get(0);
			this.givingUp.run();
			this.longest.merge(held.mode(), this.run.now - this.asked, Math::max);
			this.served++;
			this.run.holds(this, held.mode());
			this.run.after(HOLD, () -> {
				this.run.holding.remove(this);
				held.release(true);
				this.run.after(5_000, this::come);
			});
		}

		@Override
		public void busy(Blocker blocker) {
			throw new AssertionError(blocker);
		}

		@Override
		public void failed(LockException cause) {
			throw new AssertionError(cause);
		}

		@Override
		public void lost(String key, LostReason reason) {
			throw new AssertionError(reason);
		}

	}

	/** One client's side of the queue. */
	private record Queue(Run run) implements LockStrategy {

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			Node node = new Node(this.run, attempt, listener);
			this.run.changes(node::enter, () -> {
			});
			return node;
		}

		@Override
		public Contender enterInstead(Contender former, LockAttempt attempt, ContenderListener listener) {
			Node node = new Node(this.run, attempt, listener);
			Node left = (Node) former;
			left.leaving = true;
			this.run.changes(() -> {
				node.enter();
				this.run.queue.remove(left);
			}, () -> left.gone.complete(null));
			return node;
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

	}

	/** A node in the queue, and its grant. */
	private static final class Node implements Contender, Grant {

		private final CompletableFuture<Void> gone = new CompletableFuture<>();

		private final CompletableFuture<Void> contended = new CompletableFuture<>();

		private final Run run;

		private final LockAttempt attempt;

		private final ContenderListener listener;

		private boolean clear;

		private boolean contendedSeen;

		private boolean heldByMost;

		private boolean leaving;

		Node(Run run, LockAttempt attempt, ContenderListener listener) {
			this.run = run;
			this.attempt = attempt;
			this.listener = listener;
		}

		boolean excludes(Node other) {
			return !mode().isShared() || !other.mode().isShared();
		}

		void enter() {
			this.run.queue.add(this);
		}

		void grant() {
			if (!this.leaving) {
				this.listener.granted(List.of(this));
			}
		}

		@Override
		public CompletionStage<Void> leave() {
			if (!this.leaving) {
				this.leaving = true;
				this.run.changes(() -> this.run.queue.remove(this), () -> this.gone.complete(null));
			}
			return this.gone;
		}

		@Override
		public CompletionStage<Void> release() {
			return leave();
		}

		@Override
		public String key() {
			return "key";
		}

		@Override
		public LockMode mode() {
			return this.attempt.mode();
		}

		@Override
		public long firstToken() {
			return 0;
		}

		@Override
		public boolean isValid() {
			return true;
		}

		@Override
		public boolean isHeldByMost() {
			return this.heldByMost;
		}

		@Override
		public long changeNanos() {
			return WRITE + 2 * WAY;
		}

		@Override
		public CompletionStage<Void> whenContended() {
			return this.contended;
		}

		@Override
		public CompletionStage<Boolean> isContended() {
			CompletableFuture<Boolean> seen = new CompletableFuture<>();
			this.run.after(2 * WAY, () -> seen.complete(this.contended.isDone()));
			return seen;
		}

	}

}
