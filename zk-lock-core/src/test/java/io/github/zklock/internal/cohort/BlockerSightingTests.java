package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.ConnectionLossException;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

class BlockerSightingTests {

	private final Entries strategy = new Entries();

	private final Cohorts cohorts = new Cohorts((nanos, step) -> {
		step.run();
		return () -> {
		};
	}, System::nanoTime, (key) -> Handoff.DEFAULT, () -> true, new StepFailures(), 1);

	@Test
	void anOutageIsNotTakenForAHolderWhoHasLeft() {
		LocalContender first = enter();
		this.strategy.listeners.get(0).granted(List.of(new EndlessGrant(0)));
		first.leave();
		LocalContender second = enter();
		this.strategy.listeners.get(1).disturbed(new ConnectionLossException());
		assertThat(second.blocker()).isNull();
		assertThat(second.disturbance()).isInstanceOf(ConnectionLossException.class);
	}

	@Test
	void aHolderIsNotTakenForAnEarlierOutage() {
		LocalContender first = enter();
		this.strategy.listeners.get(0).disturbed(new ConnectionLossException());
		LocalContender second = enter();
		this.strategy.listeners.get(0).granted(List.of(new EndlessGrant(0)));
		assertThat(second.blocker()).isNotNull();
		assertThat(second.disturbance()).isNull();
		first.leave();
	}

	@Test
	void whoIsSeenInTheWayOfTheCallerBeforeIsSeenByThoseBehind() {
		LocalContender first = enter();
		LocalContender second = enter();
		this.strategy.listeners.get(0).blocked(new Blocker("key", "somebody", true, null));
		assertThat(second.blocker()).extracting(Blocker::who).isEqualTo("somebody");
		first.leave();
	}

	@Test
	void whoHoldsNowIsSeenAndNotWhoHeldAtTheBeginning() {
		LocalContender first = enter("first");
		enter("second");
		this.strategy.listeners.get(0).granted(List.of(new EndlessGrant(0)));
		LocalContender third = enter("third");
		assertThat(third.blocker()).extracting(Blocker::who).isEqualTo("this process (thread first)");
		first.leave();
		assertThat(third.blocker()).extracting(Blocker::who).isEqualTo("this process (thread second)");
	}

	private LocalContender enter() {
		return enter("main");
	}

	private LocalContender enter(String caller) {
		return this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, caller), this.strategy,
				new NobodyListens());
	}

	/** Nobody who has entered ever leaves ZooKeeper, as in an outage. */
	private static final class Entries implements LockStrategy {

		private final List<ContenderListener> listeners = new ArrayList<>();

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			this.listeners.add(listener);
			return CompletableFuture::new;
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

	}

	private static final class NobodyListens implements LocalContenderListener {

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
