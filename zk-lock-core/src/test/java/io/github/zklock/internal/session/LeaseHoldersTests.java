package io.github.zklock.internal.session;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LeaseHoldersTests {

	private static final long SESSION_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

	private final StepFailures failures = new StepFailures();

	private final Timer timer = new Timer("zk-lock-timer", this.failures);

	private final Queue<Long> looks = new ConcurrentLinkedQueue<>();

	private final LeaseHolders holders = new LeaseHolders(() -> 0, this.timer, new Lease(() -> 0, SESSION_NANOS, 0));

	@AfterEach
	void stopTimer() {
		this.timer.stop();
	}

	@Test
	void i1WhoHoldsIsAskedWhenTheLeaseIsOver() {
		CompletableFuture<Void> asked = new CompletableFuture<>();
		this.holders.add(new Holder("/a", () -> asked.complete(null), (since) -> {
		}));
		await().until(asked::isDone);
	}

	@Test
	void i1WhoComesWhenNothingWasHeldJustNowIsAsked() throws Exception {
		CompletableFuture<Void> asked = new CompletableFuture<>();
		whenNothingIsHeld(() -> this.holders.add(new Holder("/late", () -> asked.complete(null), (since) -> {
		})));
		this.holders.add(new Holder("/a", () -> false, this.looks::add));
		await().until(asked::isDone);
	}

	// Between the look and what follows from it, where no other code is called
	@SuppressWarnings("unchecked")
	private void whenNothingIsHeld(Runnable once) throws ReflectiveOperationException {
		Field held = LeaseHolders.class.getDeclaredField("held");
		held.setAccessible(true);
		List<Map<String, LeaseHolder>> parts = new ArrayList<>((List<Map<String, LeaseHolder>>) held.get(this.holders));
		AtomicBoolean done = new AtomicBoolean();
		parts.set(parts.size() - 1, new ConcurrentHashMap<>() {

			@Override
			public boolean isEmpty() {
				boolean empty = super.isEmpty();
				if (empty && done.compareAndSet(false, true)) {
					once.run();
				}
				return empty;
			}

		});
		held.set(this.holders, List.copyOf(parts));
	}

	@Test
	void i1WhoHoldsIsAskedAtTheEndOfTheLeaseHoweverLongASessionLasts() {
		LeaseHolders patient = new LeaseHolders(() -> 0, this.timer, new Lease(() -> 0, TimeUnit.HOURS.toNanos(24), 0));
		CompletableFuture<Void> asked = new CompletableFuture<>();
		patient.add(new Holder("/a", () -> asked.complete(null), (since) -> {
		}));
		await().until(asked::isDone);
	}

	@Test
	void i2WhatIsOlderThanATwelfthOfTheSessionWatchesItself() {
		this.holders.add(new Holder("/a", () -> true, this.looks::add));
		await().until(() -> this.looks.size() >= 3);
		assertThat(this.looks).containsOnly(-SESSION_NANOS / 12);
	}

	@Test
	void i3ManyAreLookedAtInParts() {
		Lease valid = new Lease(() -> 0, SESSION_NANOS, 0);
		valid.confirm(0);
		LeaseHolders crowd = new LeaseHolders(() -> 0, this.timer, valid);
		int many = 100 * LeaseHolders.SOME;
		Set<Integer> seen = ConcurrentHashMap.newKeySet();
		AtomicInteger looked = new AtomicInteger();
		for (int i = 0; i < many; i++) {
			int number = i;
			crowd.add(new Holder("/" + i, () -> true, (since) -> {
				seen.add(number);
				looked.incrementAndGet();
			}));
		}
		await("all are held when a round begins").until(() -> seen.size() == many);
		AtomicInteger most = new AtomicInteger();
		AtomicInteger before = new AtomicInteger();
		this.timer.later(0, new Runnable() {
			@Override
			public void run() {
				int now = looked.get();
				int last = before.getAndSet(now);
				// What was looked at before the first one is that of several steps
				most.accumulateAndGet((last > 0) ? now - last : 0, Math::max);
				LeaseHoldersTests.this.timer.later(0, this);
			}
		});
		await("the first of the steps that are counted").until(() -> before.get() > 0);
		int first = before.get();
		await().until(() -> looked.get() > first + 4 * many);
		assertThat(most.get()).as("in one step of the timer").isBetween(1, many / 8);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, -1, -123_456_789, Integer.MIN_VALUE, Integer.MAX_VALUE })
	void eachHashCodeHasAPart(int hash) {
		assertThat(LeaseHolders.part(hash)).isBetween(0, LeaseHolders.MOST_LOOKS - 1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 5, 31, LeaseHolders.MOST_LOOKS })
	void i2AllLooksOfARoundTogetherWalkEachOnce(int looks) {
		int many = 100 * LeaseHolders.MOST_LOOKS;
		List<LeaseHolder> walked = new ArrayList<>();
		for (int i = 0; i < many; i++) {
			this.holders.add(new Holder("/" + i, () -> true, (since) -> {
			}));
		}
		for (int look = 0; look < looks; look++) {
			this.holders.ofLook(look, looks).forEach((part) -> walked.addAll(part.values()));
		}
		assertThat(walked).hasSize(many).doesNotHaveDuplicates();
	}

	@Test
	void i4AHolderThatFailsKeepsNoOtherFromBeingNotified() {
		this.holders.add(new Holder("/a", LeaseHoldersTests::fail, this.looks::add));
		this.holders.add(new Holder("/b", () -> true, this.looks::add));
		this.holders.add(new Holder("/c", () -> true, (since) -> fail()));
		await().until(() -> this.looks.size() >= 2);
		// The last one may have come behind the first round, and its turn is behind that
		// look in the second
		await().untilAsserted(() -> assertThat(this.failures.count()).isGreaterThanOrEqualTo(2));
	}

	@ParameterizedTest(name = "{0}, of the first timing, a look, and the next timing")
	@ValueSource(ints = { 1, 2, 3 })
	void i5WhateverFailsThereAreLooksForTheNextThatIsHeld(int failing) {
		LeaseHolders failed = new LeaseHolders(() -> 0, this.timer, new FailingLease(failing));
		this.failures.contain(this, () -> failed.add(new Holder("/a", () -> true, (since) -> {
		})));
		await().until(() -> this.failures.count() == 1);
		failed.add(new Holder("/b", () -> true, this.looks::add));
		await().until(() -> this.looks.size() >= 2);
		assertThat(this.failures.count()).isOne();
	}

	@Test
	void onlyWhoseNodeItIsGivesItUp() {
		Holder mine = new Holder("/a", () -> true, this.looks::add);
		this.holders.add(mine);
		assertThat(this.holders.takeAway("/b", Holder.TOKEN)).isNull();
		assertThat(this.holders.takeAway("/a", Holder.TOKEN + 1)).isNull();
		assertThat(this.holders.takeAway("/a", Holder.TOKEN)).isNotNull();
	}

	@Test
	void whoHoldsIsFoundByItsIdOrWithoutIt() {
		this.holders.add(new Holder("/a", () -> true, this.looks::add));
		assertThat(this.holders.isHeldBy("/a", "/a")).isTrue();
		assertThat(this.holders.isHeldBy("/a", "/renamed")).isFalse();
		assertThat(this.holders.isHeldBy("/b", "/a")).isFalse();
		assertThat(this.holders.isHeldBy(null, "/a")).isTrue();
		assertThat(this.holders.isHeldBy(null, "/b")).isFalse();
	}

	private static boolean fail() {
		throw new NoClassDefFoundError("planted");
	}

	/** Fails once, when it is asked how long a session is. */
	private static final class FailingLease extends Lease {

		private final AtomicInteger asked = new AtomicInteger();

		private final int failing;

		FailingLease(int failing) {
			super(() -> 0, SESSION_NANOS, 0);
			this.failing = failing;
			confirm(0);
		}

		@Override
		long sessionNanos() {
			if (this.asked.incrementAndGet() == this.failing) {
				throw new OutOfMemoryError("planted");
			}
			return super.sessionNanos();
		}

	}

	private record Holder(String path, BooleanSupplier valid, LongConsumer watch) implements LeaseHolder {

		static final long TOKEN = 2048;

		@Override
		public String id() {
			return this.path;
		}

		@Override
		public boolean isValid() {
			return this.valid.getAsBoolean();
		}

		@Override
		public boolean isHeldBy(String wanted) {
			return wanted.equals(this.path);
		}

		@Override
		public void watchItself(long heldSince) {
			this.watch.accept(heldSince);
		}

		@Override
		public CompletionStage<Void> takeAway(String wanted, long token) {
			boolean mine = wanted.equals(this.path) && token == TOKEN;
			return mine ? CompletableFuture.completedFuture(null) : null;
		}

	}

}
