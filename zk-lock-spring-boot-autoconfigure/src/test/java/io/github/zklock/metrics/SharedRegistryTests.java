package io.github.zklock.metrics;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockSessionStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metrics of several clients in one registry.
 */
class SharedRegistryTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void theNumbersOfAllSessionsAreAdded() {
		LockMetrics first = new LockMetrics(this.registry, new Session(3));
		LockMetrics second = new LockMetrics(this.registry, new Session(4));
		assertThat(watchEvents()).isEqualTo(7);
		assertThat(List.of(first, second)).doesNotContainNull();
	}

	@Test
	void eachCounterHasANumberOfItsOwn() {
		LockMetrics metrics = new LockMetrics(this.registry, new Session(3));
		assertThat(watchEvents()).isEqualTo(3);
		assertThat(this.registry.get("zk.lock.leftovers.removed").functionCounter().count()).isEqualTo(5);
		assertThat(this.registry.get("zk.lock.engine.failures").functionCounter().count()).isEqualTo(7);
		assertThat(metrics).isNotNull();
	}

	@Test
	void aClientThatIsGoneLeavesWhatItHasCountedAndNothingElse() {
		WeakReference<LockMetrics> gone = new WeakReference<>(holding(3));
		assertThat(watchEvents()).isEqualTo(3);
		assertThat(holders()).isOne();
		Awaitility.await().until(() -> {
			System.gc();
			return gone.get() == null;
		});
		LockMetrics second = holding(4);
		assertThat(holders()).isOne();
		assertThat(watchEvents()).isEqualTo(7);
		second.released(event());
		assertThat(holders()).isZero();
	}

	@Test
	void aSessionIsCountedOnceHoweverManyMeasureIt() {
		Session one = new Session(3);
		LockMetrics first = new LockMetrics(this.registry, one);
		LockMetrics second = new LockMetrics(this.registry, one);
		assertThat(watchEvents()).isEqualTo(3);
		assertThat(List.of(first, second)).doesNotContainNull();
	}

	@Test
	void aSessionIsCountedOnceWhereWhatMeasuredItBeforeIsGone() {
		Session one = new Session(3);
		WeakReference<LockMetrics> gone = new WeakReference<>(new LockMetrics(this.registry, one));
		assertThat(watchEvents()).isEqualTo(3);
		Awaitility.await().until(() -> {
			System.gc();
			return gone.get() == null;
		});
		LockMetrics second = new LockMetrics(this.registry, one);
		assertThat(watchEvents()).isEqualTo(3);
		assertThat(second).isNotNull();
	}

	@Test
	void aRegistryThatWasClearedHasTheMetersOfTheNextClient() {
		LockMetrics first = holding(3);
		this.registry.clear();
		LockMetrics second = holding(4);
		assertThat(holders()).isEqualTo(2);
		assertThat(List.of(first, second)).doesNotContainNull();
	}

	private LockMetrics holding(long watchEvents) {
		LockMetrics metrics = new LockMetrics(this.registry, new Session(watchEvents));
		metrics.asked(event());
		metrics.acquired(event());
		return metrics;
	}

	private static LockListener.Event event() {
		return new LockListener.Event(1, List.of("k"), "k", LockMode.EXCLUSIVE, "sequential", LockListener.Way.GRANTED,
				Duration.ZERO);
	}

	private double watchEvents() {
		return this.registry.get("zk.lock.watch.events").functionCounter().count();
	}

	private double holders() {
		return this.registry.get("zk.lock.holders").gauge().value();
	}

	private record Session(long watchEvents) implements LockSessionStatus {

		@Override
		public State state() {
			return State.CONNECTED;
		}

		@Override
		public long sessionId() {
			return 1;
		}

		@Override
		public Duration sessionTimeout() {
			return Duration.ofSeconds(15);
		}

		@Override
		public String servers() {
			return "localhost:2181";
		}

		@Override
		public long leftoversRemoved() {
			return 5;
		}

		@Override
		public long engineFailures() {
			return 7;
		}

	}

}
