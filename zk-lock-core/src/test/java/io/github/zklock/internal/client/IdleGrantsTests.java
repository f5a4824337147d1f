package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.cohort.GrantSlots;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.internal.cohort.OfferedGrant;
import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is taken at once, without an acquisition.
 */
class IdleGrantsTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("key");

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private static final Handoff RETAINING = new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1));

	private final StepFailures failures = new StepFailures();

	private final OpenAcquisitions open = DirectReports.open(this.failures);

	private final IdleGrants idle = new IdleGrants(PlainRules.of(new MemoryStrategy(true), () -> 0), this.open,
			new GrantSlots());

	private final MemoryLocalGrant localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);

	private int offers;

	@Test
	void whatIsTakenAtOnceIsHeldUntilItsRelease() {
		HeldLock handle = this.idle.take(offered((taker) -> true), REQUEST, "owner");
		assertThat(handle).isNotNull();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.open.count()).isOne();
		handle.release();
		assertThat(this.localGrant.releases()).isOne();
		assertThat(this.open.count()).isZero();
	}

	@Test
	@Tag("OpenAcquisitions.I2")
	void whatIsTakenAtOnceWhileTheEndComesIsGivenUp() {
		AtomicInteger lost = new AtomicInteger();
		HeldLock handle = this.idle.take(offered((taker) -> this.open.close().isDone()), REQUEST, "owner");
		assertThat(handle).isNotNull();
		handle.onLost(lost::incrementAndGet);
		assertThat(handle.isHeld()).isFalse();
		assertThat(lost).hasValue(1);
		assertThat(this.localGrant.releases()).isOne();
		assertThat(this.open.count()).isZero();
		assertThat(this.open.isUnheard()).as("behind the end").isFalse();
	}

	@Test
	@Tag("Hold.I2")
	void aLossThatComesBeforeTheHandleIsReportedByIt() {
		AtomicInteger lost = new AtomicInteger();
		HeldLock handle = this.idle.take(offered((taker) -> {
			taker.lose(LostReason.LEASE_EXPIRED);
			return true;
		}), REQUEST, "owner");
		assertThat(handle).isNotNull();
		handle.onLost(lost::incrementAndGet);
		assertThat(handle.isHeld()).isFalse();
		assertThat(lost).hasValue(1);
		handle.release();
		assertThat(this.localGrant.releases()).isOne();
		assertThat(this.open.count()).isZero();
	}

	@Test
	void whoHoldsTheKeyOrHasLostItTakesNothingAtOnce() {
		Hold hold = this.open.newHold("owner", this.localGrant);
		assertThat(this.idle.take(offered((taker) -> true), REQUEST, "owner")).isNull();
		hold.lose(LostReason.LEASE_EXPIRED);
		assertThat(this.idle.take(offered((taker) -> true), REQUEST, "owner")).isNull();
		assertThat(this.offers).isZero();
		assertThat(this.idle.take(offered((taker) -> true), REQUEST, "another")).isNotNull();
	}

	@Test
	void whatCannotBeHadLeavesNothing() {
		assertThat(this.idle.take(offered((taker) -> false), REQUEST, "owner")).isNull();
		assertThat(this.open.count()).isZero();
		assertThat(this.localGrant.releases()).isZero();
	}

	@Test
	void whatFailsWhileItIsTakenIsNotHeld() {
		StackOverflowError failure = new StackOverflowError();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.idle.take(offered((taker) -> {
			throw failure;
		}), REQUEST, "owner")).withCause(failure);
		assertThat(this.failures.count()).isOne();
		assertThat(this.open.count()).isZero();
	}

	@Test
	@Tag("Hold.I3")
	void whatCannotBeNotedIsGivenBackAlthoughItCannotBeForgottenEither() {
		OutOfMemoryError failure = new OutOfMemoryError("planted");
		AtomicInteger asked = new AtomicInteger();
		Object owner = new Object() {

			@Override
			public boolean equals(Object other) {
				if (asked.incrementAndGet() > 1) {
					throw failure;
				}
				return this == other;
			}

			@Override
			public int hashCode() {
				return "other".hashCode();
			}

		};
		this.open.newHold("other", new MemoryLocalGrant(LockMode.EXCLUSIVE));
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.idle.take(offered((taker) -> true), REQUEST, owner))
			.withCause(failure);
		assertThat(this.localGrant.releases()).isOne();
		assertThat(this.open.count()).isOne();
	}

	@Test
	void whereAnybodyListensNothingIsTakenWithoutAWord() {
		assertThat(this.open.isUnheard()).isTrue();
		assertThat(DirectReports.open(this.failures, new LockListener() {
		}).isUnheard()).isFalse();
	}

	@Test
	void whatNeedsMoreThanAnIdleGrantOfOneKeyTakesNone() throws Exception {
		MemoryStrategy strategy = new MemoryStrategy(true);
		Cohorts cohorts = retaining();
		RequestRules plain = PlainRules.of(strategy, () -> 0);
		RequestRules bounded = bounded(plain);
		CohortAccess access = Unwarned.access(cohorts);
		new LockAcquirer(plain, this.open, access, Runnable::run).acquire(REQUEST).release();
		IdleGrants retained = new IdleGrants(plain, this.open, cohorts.slots());
		for (LockRequest more : List.of(LockRequest.keys(List.of("key", "other")), LockRequest.permits("key", 3))) {
			assertThat(retained.take(more)).isNull();
			assertThat(access.offered(plain.resolve(more, "owner"))).isNull();
		}
		assertThat(retained.take(REQUEST.maxHold(Duration.ofMinutes(1)))).isNull();
		assertThat(new IdleGrants(bounded, this.open, cohorts.slots()).take(REQUEST)).isNull();
		assertThat(new CohortAccess(cohorts, access.slowWaits(), bounded.shares(), Runnable::run)
			.offered(plain.resolve(REQUEST, "owner"))).isNull();
		assertThat(access.offered(plain.resolve(REQUEST, "owner"))).isNotNull();
		HeldLock handle = retained.take(REQUEST.owner("named"));
		assertThat(handle).isNotNull();
		assertThat(handle.owner()).isEqualTo("named");
		handle.release();
	}

	@Test
	void norDoesItWhereTheKeysHaveABound() throws Exception {
		MemoryStrategy strategy = new MemoryStrategy(true);
		Cohorts cohorts = retaining();
		RequestRules bounded = bounded(PlainRules.of(strategy, () -> 0));
		LockAcquirer acquirer = new LockAcquirer(bounded, this.open,
				new CohortAccess(cohorts, Unwarned.access(cohorts).slowWaits(), bounded.shares(), Runnable::run),
				Runnable::run);
		acquirer.acquire(REQUEST).release();
		for (LockRequest more : List.of(LockRequest.keys(List.of("key", "other")), LockRequest.permits("key", 3))) {
			CompletableFuture<LockHandle> waiting = acquirer.acquireAsync(more.timeout(FOREVER));
			assertThat(waiting).isNotDone();
			assertThat(strategy.length()).isEqualTo(2);
			waiting.cancel(false);
		}
		CompletableFuture<LockHandle> taken = acquirer.acquireAsync(REQUEST.timeout(FOREVER));
		assertThat(taken).isCompleted();
		assertThat(strategy.length()).isOne();
		taken.join().release();
	}

	private Cohorts retaining() {
		return new Cohorts((nanos, step) -> () -> {
		}, () -> 0, (key) -> RETAINING, () -> true, this.failures, 1);
	}

	private static RequestRules bounded(RequestRules plain) {
		return new RequestRules(plain.strategies(), plain.defaultStrategy(), plain.defaultTimeout(),
				plain.strategyRule(), plain.timeoutRule(), plain.size(), Shares.of(List.of(new ShareBound("*", 3))),
				plain.clock());
	}

	private OfferedGrant offered(Predicate<OfferedGrant.Taker> taking) {
		return new OfferedGrant() {

			@Override
			public LocalGrant localGrant() {
				return IdleGrantsTests.this.localGrant;
			}

			@Override
			public boolean take(Taker taker) {
				IdleGrantsTests.this.offers++;
				return taking.test(taker);
			}

		};
	}

}
