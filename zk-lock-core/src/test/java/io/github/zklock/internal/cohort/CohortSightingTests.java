package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.ConnectionLossException;
import org.junit.jupiter.api.Test;

import io.github.zklock.HandOver;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockLine;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

import static org.assertj.core.api.Assertions.assertThat;

class CohortSightingTests {

	private final Entries strategy = new Entries();

	private final Cohorts cohorts = new Cohorts((nanos, step) -> step.run(), System::nanoTime,
			(key) -> HandOver.DEFAULT, () -> true);

	@Test
	void anOutageIsNotTakenForAHolderWhoHasLeft() {
		Turn first = enter();
		this.strategy.listeners.get(0).granted(List.of(new SomeGrant()));
		first.leave();
		Turn second = enter();
		this.strategy.listeners.get(1).disturbed(new ConnectionLossException());
		assertThat(second.obstacle()).isNull();
		assertThat(second.disturbance()).isInstanceOf(ConnectionLossException.class);
	}

	@Test
	void aHolderIsNotTakenForAnEarlierOutage() {
		Turn first = enter();
		this.strategy.listeners.get(0).disturbed(new ConnectionLossException());
		Turn second = enter();
		this.strategy.listeners.get(0).granted(List.of(new SomeGrant()));
		assertThat(second.obstacle()).isNotNull();
		assertThat(second.disturbance()).isNull();
		first.leave();
	}

	@Test
	void whoIsSeenInTheWayOfTheCallerBeforeIsSeenByThoseBehind() {
		Turn first = enter();
		Turn second = enter();
		this.strategy.listeners.get(0).blocked(new Obstacle("key", "somebody", true, null));
		assertThat(second.obstacle()).extracting(Obstacle::who).isEqualTo("somebody");
		first.leave();
	}

	@Test
	void whoHoldsNowIsSeenAndNotWhoHeldAtTheBeginning() {
		Turn first = enter("first");
		enter("second");
		this.strategy.listeners.get(0).granted(List.of(new SomeGrant()));
		Turn third = enter("third");
		assertThat(third.obstacle()).extracting(Obstacle::who).isEqualTo("this process (thread first)");
		first.leave();
		assertThat(third.obstacle()).extracting(Obstacle::who).isEqualTo("this process (thread second)");
	}

	private Turn enter() {
		return enter("main");
	}

	private Turn enter(String caller) {
		return this.cohorts.enter(new LockEntry(List.of("key"), LockMode.EXCLUSIVE, false, caller), this.strategy,
				new NobodyListens());
	}

	/** Nobody who has entered ever leaves ZooKeeper, as in an outage. */
	private static final class Entries implements LockStrategy {

		private final List<ContenderListener> listeners = new ArrayList<>();

		@Override
		public Contender enter(LockEntry entry, ContenderListener listener) {
			this.listeners.add(listener);
			return CompletableFuture::new;
		}

		@Override
		public CompletionStage<LockLine> line(String key) {
			return CompletableFuture.completedFuture(new LockLine(key, List.of()));
		}

	}

	private static final class SomeGrant implements Grant {

		@Override
		public String key() {
			return "key";
		}

		@Override
		public LockMode mode() {
			return LockMode.EXCLUSIVE;
		}

		@Override
		public long firstToken() {
			return 256;
		}

		@Override
		public boolean isValid() {
			return true;
		}

		@Override
		public CompletionStage<Void> whenContended() {
			return new CompletableFuture<>();
		}

		@Override
		public CompletionStage<Void> release() {
			return new CompletableFuture<>();
		}

	}

	private static final class NobodyListens implements TurnListener {

		@Override
		public void granted(List<Share> shares) {
		}

		@Override
		public void busy(Obstacle obstacle) {
		}

		@Override
		public void failed(LockException cause) {
		}

		@Override
		public void lost(String key, LostReason reason) {
		}

	}

}
