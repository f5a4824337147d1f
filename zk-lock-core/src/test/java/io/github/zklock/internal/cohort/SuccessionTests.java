package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who waits and sleeps, and who comes while it wakes. The clock is played.
 */
class SuccessionTests {

	private static final long CHANGE = TimeUnit.MICROSECONDS.toNanos(400);

	private static final long MOMENT = CHANGE / 4;

	private final MemoryStrategy strategy = new MemoryStrategy(true, CHANGE);

	private final StepFailures failures = new StepFailures();

	private final List<String> notified = new ArrayList<>();

	private final List<Runnable> timed = new ArrayList<>();

	private @Nullable Queue<Runnable> late;

	private long now;

	private Cohorts cohorts = cohorts(Handoff.DEFAULT);

	@Test
	void i1WhoIsNextIsWokenAndPassedUntilItIsAwake() {
		Caller next = woken();
		for (int i = 0; i < 3; i++) {
			assertThat(take("quick").release(true)).isCompleted();
		}
		assertThat(this.notified).containsExactly("next woken");
		next.contender.awake();
		assertThat(this.notified).containsExactly("next woken", "next granted");
		assertThat(offered()).isNull();
		next.release();
		nothingIsLeft();
	}

	@Test
	void i1WhoHasTheGrantByThenIsTheLastOneBeforeIt() {
		Caller next = woken();
		LocalGrant taken = take("quick");
		next.contender.awake();
		assertThat(this.notified).containsExactly("next woken");
		assertThat(taken.isValid()).isTrue();
		taken.release(true);
		assertThat(this.notified).containsExactly("next woken", "next granted");
		assertThat(next.granted.token()).isGreaterThan(taken.token());
		assertThat(taken.isValid()).isFalse();
		next.release();
		nothingIsLeft();
	}

	@Test
	void i1BehindTheMomentItIsHandedTheGrantThatIsGivenBack() {
		Caller next = woken();
		LocalGrant taken = take("quick");
		this.now += MOMENT;
		taken.release(true);
		assertThat(this.notified).containsExactly("next woken", "next granted");
		next.contender.awake();
		assertThat(this.notified).as("is granted once").hasSize(2);
		next.release();
		nothingIsLeft();
	}

	@Test
	void i1BehindTheMomentNobodyPassesAndWhoComesIsServedBehindIt() {
		Caller next = woken();
		this.now += MOMENT;
		assertThat(offered()).isNull();
		Caller late = enter("late");
		assertThat(this.notified).containsExactly("next woken", "next granted");
		next.release();
		late.contender.awake();
		assertThat(this.notified).endsWith("late granted");
		late.release();
		nothingIsLeft();
	}

	@Test
	void i1WhoWakesLateIsGrantedAnIdleGrant() {
		Caller next = woken();
		this.now += 10 * MOMENT;
		next.contender.awake();
		assertThat(this.notified).containsExactly("next woken", "next granted");
		next.release();
		nothingIsLeft();
	}

	@Test
	void i1WhoHasWaitedForAQuarterOfItsTimeIsNotPassed() {
		Caller holder = heat();
		Caller next = new Caller("next", true, 4 * MOMENT);
		next.enter();
		this.now += MOMENT;
		holder.release();
		assertThat(this.notified).containsExactly("next granted");
		next.release();
		nothingIsLeft();
	}

	@Test
	void i1WhoIsWokenIsPassedForAQuarterOfItsTime() {
		Caller holder = heat();
		Caller next = new Caller("next", true, 2 * MOMENT);
		next.enter();
		holder.release();
		assertThat(this.notified).containsExactly("next woken");
		LocalGrant taken = take("quick");
		this.now += MOMENT / 2 - 1;
		taken.release(true);
		assertThat(this.notified).containsExactly("next woken");
		taken = take("quick");
		this.now++;
		taken.release(true);
		assertThat(this.notified).containsExactly("next woken", "next granted");
		next.release();
		nothingIsLeft();
	}

	@Test
	void i2ATokenIsLeftForIt() {
		Caller next = woken();
		long last = -1;
		while (this.notified.size() == 1) {
			LocalGrant taken = take("quick");
			assertThat(last < 0 || taken.token() == last + 1).isTrue();
			last = taken.token();
			taken.release(true);
		}
		assertThat(this.notified).as("asleep or not").containsExactly("next woken", "next granted");
		assertThat(next.granted.token()).isEqualTo(last + 1);
		assertThat(next.granted.token() % Grant.TOKENS).isEqualTo(Grant.TOKENS - 1);
		next.release();
		nothingIsLeft();
	}

	@Test
	void i2WhereAnotherClientWaitsThoseWhoPassHaveTwoPartsOfTheCount() {
		this.cohorts = cohorts(new Handoff(40, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		this.strategy.contend();
		Caller next = woken();
		List<Caller> behind = enterBehind();
		int passed = 0;
		while (this.notified.size() == 1) {
			take("quick").release(true);
			passed++;
		}
		assertThat(passed).as("two parts of ten").isBetween(5, 8);
		assertThat(next.granted.isHandedOff()).isTrue();
		end(next, behind);
	}

	@Test
	void i2WhereAnotherClientComesMeanwhileTheCountBoundsWhoPasses() {
		this.cohorts = cohorts(new Handoff(40, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		Caller next = woken();
		List<Caller> behind = enterBehind();
		take("quick").release(true);
		this.strategy.contend();
		int passed = 0;
		while (this.notified.size() == 1) {
			take("quick").release(true);
			passed++;
		}
		assertThat(passed).as("two parts of ten").isBetween(4, 8);
		assertThat(next.granted.isHandedOff()).isTrue();
		end(next, behind);
	}

	@Test
	void i2WhoIsWokenHasNothingBeyondTheCountOnceAnotherClientWaits() {
		this.cohorts = cohorts(new Handoff(3, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		Caller next = woken();
		this.strategy.contend();
		assertThat(this.notified).containsExactly("next woken", "next granted");
		assertThat(next.granted.isHandedOff()).isFalse();
		next.release();
		nothingIsLeft();
	}

	@Test
	void i2WhereAnotherClientWaitsNobodyPassesBehindTheEndOfTheTenure() {
		this.strategy.contend();
		Caller holder = heat();
		// Two callers here, of whom six were served: that is as long as three changes
		this.now += 3 * CHANGE - MOMENT / 2;
		Caller other = new Caller("other", false, Long.MAX_VALUE);
		other.enter();
		holder.release();
		Caller next = enter("next");
		other.release();
		assertThat(this.notified).containsExactly("other granted", "next woken");
		assertThat(offered()).isNotNull();
		this.now += MOMENT / 2;
		assertThat(offered()).isNull();
		next.contender.awake();
		assertThat(next.granted.isHandedOff()).isTrue();
		next.release();
		nothingIsLeft();
	}

	@Test
	void i2WhoWakesBehindTheTenureHasItsTurn() {
		this.strategy.contend();
		Caller next = woken();
		this.now += 100 * CHANGE;
		next.contender.awake();
		assertThat(next.granted.isHandedOff()).isTrue();
		next.release();
		nothingIsLeft();
	}

	@Test
	void i2TheTimeForWhichItLingeredEndsNoGrantOfOneWhoIsWoken() {
		for (int i = 0; i < 3; i++) {
			enter("alone").release();
		}
		Caller holder = heat();
		holder.release();
		LocalGrant lingering = take("quick");
		Caller next = enter("next");
		lingering.release(true);
		assertThat(this.notified).containsExactly("next woken");
		List<Runnable> due = List.copyOf(this.timed);
		this.now += MOMENT;
		due.forEach(Runnable::run);
		next.contender.awake();
		assertThat(next.granted.grant()).isSameAs(lingering.grant());
		next.release();
		nothingIsLeft();
	}

	@Test
	void i2AGrantThatIsLostIsTakenByNobody() {
		woken();
		OfferedGrant offered = offered();
		this.strategy.loseAll();
		assertThat(offered.take(new Caller("quick", false, Long.MAX_VALUE))).isFalse();
		assertThat(this.notified).as("the next grant is its").containsExactly("next woken", "next granted");
	}

	@Test
	void i2WhatIsForfeitedOnTheWayIsReplaced() {
		Caller next = woken();
		LocalGrant taken = take("quick");
		taken.forfeit();
		assertThat(this.notified).containsExactly("next woken", "next granted");
		assertThat(next.granted.grant()).isNotSameAs(taken.grant());
		next.release();
		nothingIsLeft();
	}

	@Test
	void i3StrangersAreServedInTheirOrder() {
		Caller one = enter("one");
		Caller two = enter("two");
		enter("three");
		one.release();
		two.release();
		assertThat(this.notified).containsExactly("one granted", "two granted", "three granted");
	}

	@Test
	void i3WhereOneCameLateTheNextIsHandedTheGrant() {
		Caller holder = heat();
		enter("next");
		this.now += MOMENT;
		enter("late");
		holder.release();
		assertThat(this.notified).containsExactly("next granted");
	}

	@Test
	void i3WhereTheyHaveComeLateSomeTimesTheNextIsHandedTheGrant() {
		Caller holder = heat();
		for (int i = 0; i < 3; i++) {
			Caller other = new Caller("other", false, Long.MAX_VALUE);
			other.enter();
			holder.release();
			this.now += MOMENT;
			Caller late = new Caller("late", false, Long.MAX_VALUE);
			late.enter();
			other.release();
			holder = late;
		}
		enter("next");
		holder.release();
		assertThat(this.notified).doesNotContain("next woken").endsWith("next granted");
	}

	@Test
	void i3WhereTheGrantWasHeldForLongTheNextIsHandedIt() {
		Caller holder = heat();
		enter("next");
		this.now += MOMENT;
		holder.release();
		assertThat(this.notified).containsExactly("next granted");
	}

	@Test
	void i3NobodyIsPassedByTheFirstHoldOfAGrant() {
		Caller next = woken();
		next.contender.leave();
		assertThat(this.cohorts.stopRetaining()).isDone();
		this.notified.clear();
		enter("first");
		assertThat(this.notified).containsExactly("first granted");
	}

	@Test
	@Tag("Succession.I4")
	void whoTriesOnceLearnsThatItWouldPassOthers() {
		Caller next = woken();
		assertThat(offered().passesOthers()).isTrue();
		Caller tries = new Caller("tries", true, 0);
		tries.contender = this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, true, "tries"),
				this.strategy, tries);
		assertThat(this.notified).containsExactly("next woken", "tries busy");
		next.contender.awake();
		next.release();
		nothingIsLeft();
	}

	@Test
	void whoTriesOnceIsHandedAnIdleGrantAlthoughItSleepsByThen() {
		Caller tries = new Caller("tries", true, TimeUnit.MILLISECONDS.toNanos(150));
		whileAnotherThreadHasTheSteps(() -> tries.contender = this.cohorts
			.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, true, "tries"), this.strategy, tries));
		assertThat(this.notified).containsExactly("tries granted");
		tries.release();
		nothingIsLeft();
	}

	@Test
	void whoIsWokenForAnIdleGrantIsNotInItsOwnWay() {
		Caller next = new Caller("next", true, Long.MAX_VALUE);
		whileAnotherThreadHasTheSteps(next::enter);
		assertThat(this.notified).containsExactly("next woken");
		assertThat(next.contender.blocker()).isNull();
		next.contender.awake();
		next.release();
		nothingIsLeft();
	}

	// The last holder's release leaves the grant idle; who comes sleeps before its step
	// is run
	private void whileAnotherThreadHasTheSteps(Runnable comes) {
		for (int i = 0; i < 3; i++) {
			enter("alone").release();
		}
		Caller holder = heat();
		this.late = new ArrayDeque<>();
		holder.release();
		comes.run();
		Queue<Runnable> steps = this.late;
		this.late = null;
		steps.forEach(Runnable::run);
	}

	@Test
	void whoWaitsWithoutAThreadIsHandedTheGrant() {
		Caller holder = heat();
		new Caller("next", false, Long.MAX_VALUE).enter();
		holder.release();
		assertThat(this.notified).containsExactly("next granted");
	}

	@Test
	void whereWhoIsWokenHasLeftTheNextOneIs() {
		Caller next = woken();
		Caller another = enter("another");
		next.contender.leave();
		next.contender.awake();
		assertThat(this.notified).containsExactly("next woken", "another woken");
		take("quick").release(true);
		another.contender.awake();
		assertThat(this.notified).endsWith("another granted");
		another.release();
		nothingIsLeft();
	}

	@Test
	void whereWhoIsWokenHasLeftAndNobodyElseWaitsNothingIsLeft() {
		Caller next = woken();
		LocalGrant taken = take("quick");
		next.contender.leave();
		taken.release();
		nothingIsLeft();
	}

	@Test
	void whoComesBehindTheOneWhoIsWokenHasItInItsWay() {
		Caller next = woken();
		Caller behind = enter("behind");
		assertThat(behind.contender.blocker()).hasToString("queued behind this process (thread next) for 0ms");
		assertThat(next.contender.blocker()).as("who held before").isNotNull();
	}

	@Test
	void whoIsPassedLearnsWhoHolds() {
		Caller next = woken();
		Caller behind = enter("behind");
		take("quick");
		next.contender.awake();
		assertThat(next.contender.blocker()).isNotNull();
		assertThat(behind.contender.blocker()).isNotNull();
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = "EXCLUSIVE", mode = EnumSource.Mode.EXCLUDE)
	void whoWantsAnotherModeIsNoReasonToWait(LockMode mode) {
		Caller holder = heat();
		Caller other = new Caller("other", true, Long.MAX_VALUE);
		other.enter(mode);
		holder.release();
		assertThat(this.notified).containsExactly("other granted");
		other.release();
		nothingIsLeft();
	}

	// The callers come back at once: the next one who sleeps is woken
	private Caller woken() {
		Caller holder = heat();
		Caller next = enter("next");
		holder.release();
		assertThat(this.notified).containsExactly("next woken");
		assertThat(offered()).isNotNull();
		return next;
	}

	private Caller heat() {
		Caller holder = enter("first");
		for (int i = 0; i < 2; i++) {
			Caller other = new Caller("other", false, Long.MAX_VALUE);
			other.enter();
			holder.release();
			Caller back = new Caller("back", false, Long.MAX_VALUE);
			back.enter();
			other.release();
			holder = back;
		}
		this.notified.clear();
		return holder;
	}

	private List<Caller> enterBehind() {
		return IntStream.range(0, 8).mapToObj((i) -> enter("behind")).toList();
	}

	private void end(Caller holder, List<Caller> behind) {
		behind.forEach((caller) -> caller.contender.leave());
		holder.release();
		nothingIsLeft();
	}

	private Caller enter(String name) {
		Caller caller = new Caller(name, true, Long.MAX_VALUE);
		caller.enter();
		return caller;
	}

	private OfferedGrant offered() {
		return this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, this.strategy);
	}

	private LocalGrant take(String name) {
		OfferedGrant offered = offered();
		Caller caller = new Caller(name, false, Long.MAX_VALUE);
		assertThat(offered.take((LostReason reason) -> caller.lost("key", reason))).isTrue();
		return offered.localGrant();
	}

	private void nothingIsLeft() {
		assertThat(this.cohorts.stopRetaining()).isDone();
		assertThat(this.cohorts.count()).isZero();
		assertThat(this.strategy.length()).isZero();
		assertThat(offered()).isNull();
		assertThat(this.failures.count()).isZero();
	}

	private Cohorts cohorts(Handoff handoff) {
		return new Cohorts((nanos, step) -> {
			this.timed.add(step);
			return () -> this.timed.remove(step);
		}, () -> this.now, (key) -> handoff, () -> true, this.failures, 2, this::steps);
	}

	private Executor steps() {
		SerialExecutor steps = new SerialExecutor(this.failures);
		return (step) -> {
			if (this.late != null) {
				this.late.add(() -> steps.execute(step));
			}
			else {
				steps.execute(step);
			}
		};
	}

	/** Notes what becomes of it. */
	private final class Caller implements LocalContenderListener {

		private final String name;

		private final boolean sleeps;

		private final long remaining;

		private LocalContender contender;

		private LocalGrant granted;

		private Caller(String name, boolean sleeps, long remaining) {
			this.name = name;
			this.sleeps = sleeps;
			this.remaining = remaining;
		}

		private void enter() {
			enter(LockMode.EXCLUSIVE);
		}

		private void enter(LockMode mode) {
			LockAttempt attempt = new LockAttempt(List.of("key"), mode, false, this.name);
			this.contender = SuccessionTests.this.cohorts.enter(attempt, SuccessionTests.this.strategy, this);
		}

		private void release() {
			this.granted.release(true);
		}

		private void note(String what) {
			SuccessionTests.this.notified.add(this.name + " " + what);
		}

		@Override
		public long remainingNanos() {
			return this.remaining;
		}

		@Override
		public boolean isAsleep() {
			return this.sleeps;
		}

		@Override
		public void wake() {
			note("woken");
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			this.granted = localGrants.get(0);
			note("granted");
		}

		@Override
		public void busy(Blocker blocker) {
			note("busy");
		}

		@Override
		public void failed(LockException cause) {
			note("failed");
		}

		@Override
		public void lost(String key, LostReason reason) {
			note("lost");
		}

	}

}
