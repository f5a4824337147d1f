package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of one client, before a strategy that is played by hand.
 */
abstract class HandPlayedCohorts {

	static final long CHANGE = TimeUnit.MICROSECONDS.toNanos(400);

	static final long LINGER = CHANGE / 4;

	final HandPlayedStrategy strategy = new HandPlayedStrategy();

	final StepFailures failures = new StepFailures();

	final List<Runnable> paused = new ArrayList<>();

	final List<String> served = new ArrayList<>();

	final Map<String, LocalGrant> held = new HashMap<>();

	final Map<String, Long> remaining = new HashMap<>();

	final Set<String> decided = new HashSet<>();

	String failing = "";

	String failingOnce = "";

	LockMode mode = LockMode.EXCLUSIVE;

	LocalContender last;

	boolean reachable = true;

	long now;

	long timed;

	Cohorts cohorts = cohorts(Handoff.DEFAULT);

	void retaining() {
		this.cohorts = cohorts(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1)));
	}

	SlotGrant offered() {
		return (SlotGrant) this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, this.strategy);
	}

	SlotGrant take(String name) {
		SlotGrant offered = offered();
		assertThat(offered.take(new Caller(name))).isTrue();
		return offered;
	}

	Entry heat(HandPlayedStrategy hot) {
		hot.changeNanos = CHANGE;
		for (int i = 0; i < QuickReturns.QUICK; i++) {
			enterAndGrant("hot");
			release("hot");
			hot.last().gone.complete(null);
		}
		enterAndGrant("hot");
		assertThat(hot.last().attempt.mayBeRetained()).isTrue();
		return hot.last();
	}

	void enterAndGrant(String name) {
		enter(name, LockMode.EXCLUSIVE);
		this.strategy.last().grant();
	}

	CompletionStage<Void> release(String name) {
		return this.held.get(name).release(true);
	}

	void runPaused() {
		List<Runnable> due = List.copyOf(this.paused);
		this.paused.clear();
		due.forEach(Runnable::run);
	}

	LocalContender permit(String name, int permits) {
		return permit(name, permits, false);
	}

	LocalContender once(String name, int permits) {
		return permit(name, permits, true);
	}

	LocalContender permit(String name, int permits, boolean tryOnce) {
		LockAttempt attempt = new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE), List.of(permits), tryOnce,
				name, false);
		return this.cohorts.enter(attempt, this.strategy, new Caller(name));
	}

	Cohorts cohorts(Handoff handoff) {
		return cohorts(handoff, () -> new SerialExecutor(new StepFailures()));
	}

	Cohorts cohorts(Handoff handoff, Supplier<Executor> serialExecutors) {
		return new Cohorts((nanos, step) -> {
			this.timed = nanos;
			this.paused.add(step);
			return () -> this.paused.remove(step);
		}, () -> this.now, (key) -> handoff, () -> this.reachable, this.failures, 2, serialExecutors);
	}

	LocalContender tryOnce(String name, LockMode mode) {
		return this.cohorts.enter(new LockAttempt(List.of("key"), mode, true, name), this.strategy, new Caller(name));
	}

	LocalContender several(String name, boolean tryOnce) {
		LockAttempt attempt = new LockAttempt(List.of("key", "stock"), LockMode.EXCLUSIVE, tryOnce, name);
		return this.cohorts.enter(attempt, this.strategy, new Caller(name));
	}

	LocalContender enter(String name, LockMode mode) {
		return enter("key", name, mode);
	}

	LocalContender enter(String key, String name, LockMode mode) {
		return this.cohorts.enter(new LockAttempt(List.of(key), mode, false, name), this.strategy, new Caller(name));
	}

	void enter(String name, LockStrategy reading, boolean tryOnce) {
		this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.READ, tryOnce, name), reading, new Caller(name));
	}

	/** Notes what it is told. */
	class Caller implements LocalContenderListener {

		final String name;

		Caller(String name) {
			this.name = name;
		}

		@Override
		public long remainingNanos() {
			return HandPlayedCohorts.this.remaining.getOrDefault(this.name, Long.MAX_VALUE);
		}

		@Override
		public boolean isDecided() {
			return HandPlayedCohorts.this.decided.contains(this.name);
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			HandPlayedCohorts.this.served.add(this.name);
			HandPlayedCohorts.this.held.put(this.name, localGrants.get(0));
			if (this.name.equals(HandPlayedCohorts.this.failing)) {
				throw new NoClassDefFoundError("planted");
			}
		}

		@Override
		public void busy(Blocker blocker) {
			HandPlayedCohorts.this.served.add(this.name + " busy");
			if (this.name.equals(HandPlayedCohorts.this.failing)) {
				throw new NoClassDefFoundError("planted");
			}
		}

		@Override
		public void failed(LockException cause) {
			HandPlayedCohorts.this.served.add(this.name + " failed");
			if (this.name.equals(HandPlayedCohorts.this.failingOnce)) {
				HandPlayedCohorts.this.failingOnce = "";
				throw new NoClassDefFoundError("planted");
			}
		}

		@Override
		public void lost(String key, LostReason reason) {
			HandPlayedCohorts.this.served.add(this.name + " lost");
		}

	}

	/** Does nothing by itself. */
	static class HandPlayedStrategy implements LockStrategy {

		final List<Entry> entries = new ArrayList<>();

		boolean fair = true;

		boolean grantsAtOnce;

		long changeNanos = Long.MAX_VALUE;

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			Entry entry = new Entry(attempt, listener);
			entry.changeNanos = this.changeNanos;
			this.entries.add(entry);
			if (this.grantsAtOnce) {
				entry.grant();
			}
			return entry;
		}

		Entry last() {
			return this.entries.get(this.entries.size() - 1);
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

	/** A contender, and the grant that it becomes. */
	static final class Entry implements Contender, Grant {

		final CompletableFuture<Void> gone = new CompletableFuture<>();

		final CompletableFuture<Void> contended = new CompletableFuture<>();

		final CompletableFuture<Boolean> looked = new CompletableFuture<>();

		final CompletableFuture<Boolean> downgraded = new CompletableFuture<>();

		final LockAttempt attempt;

		final ContenderListener listener;

		boolean left;

		boolean valid = true;

		long othersChangeNanos = Long.MAX_VALUE;

		long changeNanos = Long.MAX_VALUE;

		boolean heldByMost;

		String failing = "";

		Entry(LockAttempt attempt, ContenderListener listener) {
			this.attempt = attempt;
			this.listener = listener;
		}

		void failIf(String what) {
			if (this.failing.equals(what)) {
				throw new NoClassDefFoundError("planted");
			}
		}

		void grant() {
			this.listener.granted(List.of(this));
		}

		void lose() {
			this.valid = false;
			this.listener.lost(this, LostReason.SESSION_ENDED);
		}

		@Override
		public CompletionStage<Void> leave() {
			this.left = true;
			return this.gone;
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
			failIf("token");
			return 0;
		}

		@Override
		public boolean isValid() {
			failIf("valid");
			return this.valid;
		}

		@Override
		public long changeNanos() {
			return this.changeNanos;
		}

		@Override
		public long leastChangeNanos() {
			return Math.min(this.changeNanos, this.othersChangeNanos);
		}

		@Override
		public boolean isHeldByMost() {
			return this.heldByMost;
		}

		@Override
		public CompletionStage<Void> whenContended() {
			failIf("contended");
			return this.contended;
		}

		@Override
		public CompletionStage<Boolean> isContended() {
			return this.looked;
		}

		@Override
		public CompletionStage<Boolean> downgrade() {
			failIf("downgrade");
			return this.downgraded;
		}

		@Override
		public CompletionStage<Void> release() {
			failIf("release");
			return leave();
		}

	}

}
