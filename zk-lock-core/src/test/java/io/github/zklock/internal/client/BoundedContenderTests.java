package io.github.zklock.internal.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.LocalContender;
import io.github.zklock.internal.cohort.LocalContenderListener;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers who need a share of one, and leave, are granted and fail in between.
 */
class BoundedContenderTests {

	private static final Blocker BUSY = new Blocker("key", "another client", true, null);

	private final Shares shares = Shares.of(List.of(new ShareBound("*", 1)));

	private final Queue<Runnable> later = new ArrayDeque<>();

	private final List<String> notified = new ArrayList<>();

	private final List<Behind> entered = new ArrayList<>();

	private boolean decided;

	@Test
	void i1WhoIsServedAndLeavesDoesNotEnter() {
		BoundedContender first = begun("first");
		BoundedContender second = begun("second");
		first.leave();
		second.leave();
		this.later.remove().run();
		assertThat(this.entered).hasSize(1);
		assertThat(this.shares.count()).isZero();
	}

	@Test
	void whoIsServedEntersBehindTheStepThatMadeRoom() {
		BoundedContender first = begun("first");
		begun("second");
		first.leave();
		assertThat(this.entered).hasSize(1);
		this.later.remove().run();
		assertThat(this.entered).hasSize(2);
	}

	@Test
	void i1WhoLeavesWhileItEntersHasLeftWithTheOneBehindIt() {
		List<CompletionStage<Void>> gone = new ArrayList<>();
		BoundedContender[] contender = new BoundedContender[1];
		contender[0] = contender("first", (listener) -> {
			gone.add(contender[0].leave());
			assertThat(gone.get(0).toCompletableFuture()).as("before it has entered").isNotDone();
			return enter(listener);
		}, this.later::add);
		contender[0].begin();
		assertThat(this.entered.get(0).contender().hasLeft()).isTrue();
		assertThat(gone.get(0).toCompletableFuture()).as("before the one behind it has left").isNotDone();
		this.entered.get(0).contender().gone().complete(null);
		assertThat(gone.get(0).toCompletableFuture()).isCompleted();
		assertThat(this.shares.count()).isZero();
	}

	@Test
	void i2TheShareComesBackWithTheLossAndOnlyOnce() {
		begun("first");
		this.entered.get(0).listener().granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE)));
		begun("second");
		this.entered.get(0).listener().lost("key", LostReason.SESSION_ENDED);
		this.later.remove().run();
		assertThat(this.entered).hasSize(2);
		begun("third");
		this.entered.get(0).listener().lost("key", LostReason.SESSION_ENDED);
		assertThat(this.later).isEmpty();
		assertThat(this.notified).containsExactly("granted", "lost, shares 1", "lost, shares 2");
	}

	@Test
	void i2TheShareIsBackWhenTheCallerIsNotifiedThatItIsNotGranted() {
		begun("first");
		this.entered.get(0).listener().busy(BUSY);
		begun("second");
		this.entered.get(1).listener().failed(new LockException("planted"));
		assertThat(this.notified).containsExactly("busy, shares 0", "failed, shares 0");
	}

	@Test
	void i2TheShareIsBackWhereTheStepFails() {
		BoundedContender failing = contender("first", (listener) -> {
			throw new OutOfMemoryError("planted");
		}, this.later::add);
		failing.begin();
		assertThat(this.notified).containsExactly("failed, shares 0");
		assertThat(failing.leave().toCompletableFuture()).isCompleted();
	}

	@Test
	void i2TheShareIsBackWhereTheStepCannotBeStarted() {
		BoundedContender first = begun("first");
		contender("second", this::enter, (step) -> {
			throw new RejectedExecutionException("planted");
		}).begin();
		first.leave();
		assertThat(this.notified).containsExactly("failed, shares 0");
		assertThat(this.entered).hasSize(1);
	}

	// A permit would go to a caller whose time is up, and be given back
	@Test
	void whoHasItsOutcomeSaysSoToTheOneBehindIt() {
		begun("first");
		assertThat(this.entered.get(0).listener().isDecided()).isFalse();
		this.decided = true;
		assertThat(this.entered.get(0).listener().isDecided()).isTrue();
	}

	private BoundedContender begun(String owner) {
		BoundedContender contender = contender(owner, this::enter, this.later::add);
		contender.begin();
		return contender;
	}

	private BoundedContender contender(String owner, Function<LocalContenderListener, LocalContender> entering,
			Executor executor) {
		LockAttempt attempt = new LockAttempt(List.of("first".equals(owner) ? "key" : owner), LockMode.EXCLUSIVE, false,
				owner);
		return new BoundedContender(attempt, owner, new Caller(), this.shares, entering, executor);
	}

	private LocalContender enter(LocalContenderListener listener) {
		LeavingContender contender = new LeavingContender();
		this.entered.add(new Behind(listener, contender));
		return contender;
	}

	/**
	 * Who entered behind the bound.
	 *
	 * @param listener is notified
	 * @param contender leaves
	 */
	private record Behind(LocalContenderListener listener, LeavingContender contender) {

	}

	/**
	 * Writes down what it is notified of, and how many shares are taken or waited for.
	 */
	private final class Caller implements LocalContenderListener {

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public boolean isDecided() {
			return BoundedContenderTests.this.decided;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			BoundedContenderTests.this.notified.add("granted");
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

		private void note(String what) {
			BoundedContenderTests.this.notified.add(what + ", shares " + BoundedContenderTests.this.shares.count());
		}

	}

}
