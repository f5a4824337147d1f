package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who is said to be in the way of a caller who finds no lane.
 */
class PermitCohortTests implements PermitCohort.Host {

	private final List<LocalContenderListener> lanes = new ArrayList<>();

	private final PermitCohort cohort = new PermitCohort(this, "k", 2, Runnable::run);

	private LocalContender enter(String caller) {
		return this.cohort.enter(
				new LockAttempt(List.of("k"), List.of(LockMode.EXCLUSIVE), List.of(2), false, caller, false),
				new MemoryStrategy(true), new Nobody());
	}

	@Test
	void itIsOneWhoHoldsAlsoIfAnotherOneCameFirst() {
		enter("waiting");
		enter("holding");
		this.lanes.get(1).granted(List.of(new Held()));
		Blocker blocker = enter("late").blocker();
		assertThat(blocker).isNotNull();
		assertThat(blocker.who()).contains("holding");
	}

	@Override
	public LocalContender enter(int lane, LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		this.lanes.add(listener);
		return new Unanswered();
	}

	@Override
	public boolean isInUse(int lane) {
		return false;
	}

	@Override
	public void over() {
	}

	@Override
	public void failed() {
	}

	@Override
	public long now() {
		return 0;
	}

	@Override
	public StepFailures failures() {
		return new StepFailures();
	}

	/** Has seen nobody. */
	private static final class Unanswered implements LocalContender {

		@Override
		public CompletionStage<Void> leave() {
			return CompletableFuture.completedStage(null);
		}

		@Override
		public @Nullable Blocker blocker() {
			return null;
		}

		@Override
		public @Nullable Exception disturbance() {
			return null;
		}

	}

	/** What a lane has granted. */
	private static final class Held implements LocalGrant {

		@Override
		public String key() {
			return "k";
		}

		@Override
		public LockMode mode() {
			return LockMode.EXCLUSIVE;
		}

		@Override
		public long token() {
			return 1;
		}

		@Override
		public boolean isValid() {
			return true;
		}

		@Override
		public Grant grant() {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletionStage<Void> release(boolean mayLinger) {
			return CompletableFuture.completedStage(null);
		}

		@Override
		public void downgrade() {
		}

		@Override
		public CompletionStage<Void> forfeit() {
			return CompletableFuture.completedStage(null);
		}

	}

	/** Is notified of nothing that matters here. */
	private static final class Nobody implements LocalContenderListener {

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
		}

		@Override
		public void busy(Blocker blocker) {
		}

		@Override
		public void failed(LockException cause) {
		}

		@Override
		public void lost(String key, LostReason reason) {
		}

	}

}
