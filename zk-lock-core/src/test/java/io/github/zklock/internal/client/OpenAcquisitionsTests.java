package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What comes after the end, and owners whose methods throw.
 */
class OpenAcquisitionsTests {

	private final StepFailures failures = new StepFailures();

	private final OpenAcquisitions open = DirectReports.open(this.failures);

	@Test
	void i2AHoldThatIsMadeAfterTheEndIsGivenUp() {
		assertThat(this.open.close()).isDone();
		MemoryLocalGrant localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
		Hold hold = this.open.newHold("owner", localGrant);
		assertThat(hold.lostReason()).isEqualTo(LostReason.CLIENT_CLOSED);
		assertThat(localGrant.releases()).isOne();
		assertThat(this.open.count()).isZero();
	}

	@Test
	void i3TheEndWaitsForWhoIsAboutToEnterAndThenForItsContender() {
		LeavingContender contender = new LeavingContender();
		Acquisition acquisition = acquisition();
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		this.open.admit(acquisition, () -> {
			ends.add(this.open.close());
			assertThat(acquisition.isDecided()).isTrue();
			assertThat(ends.get(0)).as("before it has entered").isNotDone();
			return acquisition.entered(contender);
		});
		assertThat(ends.get(0)).as("before its contender has left").isNotDone();
		contender.gone().complete(null);
		assertThat(ends.get(0)).isDone();
	}

	@Test
	void i3TheEndWaitsForTheContenderOfWhoHadGivenUpBefore() {
		LeavingContender contender = new LeavingContender();
		Acquisition acquisition = acquisition();
		this.open.admit(acquisition, () -> acquisition.entered(contender));
		acquisition.fail(new CancellationException());
		CompletableFuture<Void> end = this.open.close();
		assertThat(end).isNotDone();
		contender.gone().complete(null);
		assertThat(end).isDone();
	}

	@Test
	void i1WhatBeginsBehindTheEndFailsAndDoesNotEnter() {
		assertThat(this.open.close()).isDone();
		Acquisition acquisition = acquisition();
		AtomicInteger entered = new AtomicInteger();
		this.open.admit(acquisition, () -> {
			entered.incrementAndGet();
			return CompletableFuture.completedStage(null);
		});
		assertThat(acquisition.outcome()).isCompletedExceptionally();
		assertThat(entered).hasValue(0);
		assertThat(this.open.count()).isZero();
	}

	@Test
	@Tag("OpenAcquisitions.I1")
	void theEndEndsEachOfThoseThatWaitWhateverOneOfThemThrows() {
		List<Acquisition> waiting = List.of(failing(), failing());
		waiting
			.forEach((acquisition) -> this.open.admit(acquisition, () -> acquisition.entered(new LeavingContender())));
		assertThat(this.open.close()).as("their contenders have not left").isNotDone();
		assertThat(waiting).extracting(Acquisition::outcome).allMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(this.failures.count()).isEqualTo(2);
	}

	@Test
	@Tag("OpenAcquisitions.I2")
	void theEndGivesUpEachOfTheHoldsWhateverOneOfThemThrows() {
		List<String> ended = new ArrayList<>();
		for (String key : List.of("apples", "pears", "plums")) {
			this.open.newHold("owner", new MemoryLocalGrant(key, LockMode.EXCLUSIVE) {

				@Override
				public CompletionStage<Void> forfeit() {
					ended.add(key);
					throw new OutOfMemoryError("planted");
				}

			});
		}
		assertThat(this.open.close()).isDone();
		assertThat(ended).containsExactlyInAnyOrder("apples", "pears", "plums");
		assertThat(this.failures.count()).isEqualTo(3);
	}

	private Acquisition failing() {
		return acquisition(LockRequest.keys(List.of("key", "other")),
				new Hold(this.open.holds(), "owner", new MemoryLocalGrant(LockMode.EXCLUSIVE) {

					@Override
					public CompletionStage<Void> release(boolean mayLinger) {
						throw new OutOfMemoryError("planted");
					}

				}));
	}

	@Test
	void whoHasLostAnyKeyThatItEnteredAgainIsGrantedNoOther() {
		List<Hold> holds = Stream.of("apples", "pears")
			.map((key) -> new Hold(this.open.holds(), "owner", new MemoryLocalGrant(key, LockMode.EXCLUSIVE)))
			.toList();
		Acquisition acquisition = acquisition(LockRequest.keys(List.of("apples", "pears", "plums")),
				holds.toArray(Hold[]::new));
		holds.get(1).lose(LostReason.SESSION_ENDED);
		MemoryLocalGrant plums = new MemoryLocalGrant("plums", LockMode.EXCLUSIVE);
		acquisition.granted(List.of(plums));
		assertThat(acquisition.outcome()).isCompletedExceptionally();
		assertThat(plums.releases()).isOne();
	}

	@Test
	void theLossOfOneKeyIsNotThatOfTheOthers() {
		Acquisition acquisition = acquisition(LockRequest.keys(List.of("key", "other")));
		acquisition.granted(List.of(new MemoryLocalGrant("key", LockMode.EXCLUSIVE),
				new MemoryLocalGrant("other", LockMode.EXCLUSIVE)));
		acquisition.lost("other", LostReason.SESSION_ENDED);
		assertThat(acquisition.outcome().join().isHeld()).isFalse();
		assertThat(this.open.holds().find(new Holds.Owned("owner", "other")).isValid()).isFalse();
		assertThat(this.open.holds().find(new Holds.Owned("owner", "key")).isValid()).isTrue();
	}

	private Acquisition acquisition() {
		return acquisition(LockRequest.exclusive("key"));
	}

	private Acquisition acquisition(LockRequest request, Hold... reentered) {
		return new Acquisition(this.open, new ResolvedRequest(request.owner("owner"), "memory",
				new MemoryStrategy(false), "owner", Deadline.in(Duration.ofMinutes(1), null, () -> 0)),
				List.of(reentered), (made) -> false);
	}

	@Test
	@Tag("Hold.I3")
	void theEndGivesUpWhatIsHeldWhateverAnOwnerThrows() {
		Owner owner = new Owner();
		List<MemoryLocalGrant> localGrants = Stream.generate(() -> new MemoryLocalGrant(LockMode.READ))
			.limit(3)
			.toList();
		localGrants.forEach((localGrant) -> this.open.newHold(owner, localGrant));
		owner.isBroken = true;
		assertThat(this.open.close()).isDone();
		assertThat(localGrants).extracting(MemoryLocalGrant::releases).containsOnly(1);
		assertThat(this.failures.count()).isPositive();
	}

	@Test
	@Tag("Hold.I3")
	void whatAnOwnerThrowsKeepsNothingElseOfItsHeld() {
		Owner owner = new Owner();
		List<MemoryLocalGrant> localGrants = Stream.generate(() -> new MemoryLocalGrant(LockMode.READ))
			.limit(3)
			.toList();
		List<Hold> holds = localGrants.stream().map((localGrant) -> this.open.newHold(owner, localGrant)).toList();
		owner.isBroken = true;
		assertThat(Hold.exitAll(holds, (i) -> LockMode.READ, null)).isDone();
		assertThat(localGrants).extracting(MemoryLocalGrant::releases).containsOnly(1);
	}

	@Test
	void aHoldOfAnOwnerThatHasChangedIsForgotten() {
		List<String> owner = new ArrayList<>(List.of("a"));
		Hold hold = this.open.newHold(owner, new MemoryLocalGrant(LockMode.EXCLUSIVE));
		owner.add("b");
		hold.exit(LockMode.EXCLUSIVE);
		assertThat(this.open.count()).isZero();
	}

	/** Throws wherever it is asked, once it is broken. */
	private static final class Owner {

		private boolean isBroken;

		private void check() {
			if (this.isBroken) {
				throw new IllegalStateException("planted");
			}
		}

		@Override
		public boolean equals(Object other) {
			check();
			return this == other;
		}

		@Override
		public int hashCode() {
			check();
			return 1;
		}

	}

}
