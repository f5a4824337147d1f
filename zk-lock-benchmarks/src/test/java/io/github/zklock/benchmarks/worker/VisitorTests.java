package io.github.zklock.benchmarks.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.LockMode;
import io.github.zklock.benchmarks.peer.Guard;
import io.github.zklock.benchmarks.peer.Peer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With a lock that takes as long as the test wants.
 */
@Timeout(60)
class VisitorTests {

	@TempDir
	Path directory;

	private Arbiter arbiter;

	@BeforeEach
	void openMemory() {
		this.arbiter = Arbiter.open(this.directory.resolve("memory"));
	}

	@Test
	void aWaitThatDoesNotEndInTimeIsTheLongestSoFar() throws Exception {
		long start = System.nanoTime();
		long stop = start + Duration.ofMillis(50).toNanos();
		Tally tally = visitor(new GrantedAt(stop)).counting(start, stop).call();
		assertThat(tally.counted()).containsExactly(0L);
		assertThat(tally.waits().getTotalCount()).isZero();
		assertThat(tally.longest()).isBetween(1L, stop - start);
	}

	@Test
	void theLongestOfTheCountedWaitsIsFound() throws Exception {
		long start = System.nanoTime();
		long first = start + Duration.ofMillis(20).toNanos();
		Tally tally = visitor(new GrantedAt(first)).counting(start, start + Duration.ofSeconds(1).toNanos()).call();
		assertThat(tally.waits().getTotalCount()).isEqualTo(tally.counted().get(0)).isPositive();
		assertThat(tally.waits().getMaxValue()).isGreaterThanOrEqualTo(tally.longest() / 2);
		assertThat(tally.windows().ofThreads().get(0)).hasSize(10)
			.satisfies((windows) -> assertThat(windows.stream().mapToLong(Integer::longValue).sum())
				.isBetween(tally.counted().get(0), tally.total()));
	}

	@Test
	void heatingNeitherHoldsNorCounts() throws Exception {
		long now = System.nanoTime();
		// Longer than the test may take
		Load load = Load.of(KeyChoice.ONE).held(Integer.MAX_VALUE).thinking(Integer.MAX_VALUE);
		Tally tally = new Visitor(new GrantedAt(now), load, this.arbiter, 0)
			.heating(now + Duration.ofMillis(20).toNanos())
			.call();
		assertThat(tally.total()).isEqualTo(tally.writes()).isPositive();
		assertThat(tally.counted()).containsExactly(0L);
		assertThat(tally.waits().getTotalCount()).isZero();
	}

	@Test
	void thinkingIsNotWaiting() throws Exception {
		long now = System.nanoTime();
		long stop = now + Duration.ofMillis(200).toNanos();
		Tally tally = new Visitor(new GrantedAt(now), Load.of(KeyChoice.ONE).thinking(10_000), this.arbiter, 0)
			.counting(now, stop)
			.call();
		// Drawn 20 times on average, and never more often than this
		assertThat(tally.total()).isBetween(1L, 100L);
		assertThat(tally.waits().getMinValue()).isLessThan(Duration.ofMillis(10).toNanos());
	}

	@Test
	void nobodyThinksPastTheEnd() throws Exception {
		long now = System.nanoTime();
		Tally tally = new Visitor(new GrantedAt(now), Load.of(KeyChoice.ONE).thinking(Integer.MAX_VALUE), this.arbiter,
				0)
			.counting(now, now + Duration.ofMillis(20).toNanos())
			.call();
		assertThat(tally.total()).isPositive();
	}

	@Test
	void whoComesWhileNobodyIsServedHasWaitedSinceThen() throws Exception {
		long start = System.nanoTime();
		long open = start + Duration.ofMillis(50).toNanos();
		long stop = start + Duration.ofMillis(100).toNanos();
		Tally tally = visitor(new GrantedAt(open))
			.serving(start, stop, new Arrivals(new SplittableRandom(7), 2000, start))
			.call();
		Arrivals same = new Arrivals(new SplittableRandom(7), 2000, start);
		long[] came = LongStream.generate(same::next).takeWhile((moment) -> moment - stop < 0).toArray();
		assertThat(came).hasSizeGreaterThan(100);
		// One more, in the end
		assertThat(tally.total()).isEqualTo(came.length + 1);
		assertThat(tally.waits().getTotalCount()).isEqualTo(came.length);
		assertThat(tally.longest()).isGreaterThanOrEqualTo(open - came[0]);
		// Each waited until the lock was open at least, although one thread asked for it
		long early = Arrays.stream(came).filter((moment) -> moment - start < (open - start) / 2).count();
		assertThat(early).isGreaterThan(20);
		assertThat(tally.waits().getCountBetweenValues((open - start) / 2, Long.MAX_VALUE / 2))
			.isGreaterThanOrEqualTo(early);
	}

	@Test
	void theLastVisitThatNobodyCameForIsNotWithinTheTime() throws Exception {
		long start = System.nanoTime();
		long stop = start + Duration.ofMillis(50).toNanos();
		Tally tally = visitor(new GrantedAt(start))
			.serving(start, stop, new Arrivals(new SplittableRandom(7), 0.001, start))
			.call();
		assertThat(tally.total()).isEqualTo(1);
		assertThat(tally.counted()).containsExactly(0L);
		assertThat(tally.longest()).isZero();
	}

	@Test
	void whoCameBeforeItCountsIsServedButNotCounted() throws Exception {
		long begin = System.nanoTime();
		long start = begin + Duration.ofMillis(50).toNanos();
		long stop = begin + Duration.ofMillis(60).toNanos();
		Tally tally = visitor(new GrantedAt(begin))
			.serving(start, stop, new Arrivals(new SplittableRandom(7), 2000, begin))
			.call();
		Arrivals same = new Arrivals(new SplittableRandom(7), 2000, begin);
		long[] came = LongStream.generate(same::next).takeWhile((moment) -> moment - stop < 0).toArray();
		assertThat(tally.total()).isEqualTo(came.length + 1);
		assertThat(tally.waits().getTotalCount())
			.isEqualTo(Arrays.stream(came).filter((moment) -> moment - start >= 0).count());
	}

	private Visitor visitor(Peer peer) {
		return new Visitor(peer, Load.of(KeyChoice.ONE), this.arbiter, 0);
	}

	/**
	 * A lock that nobody is granted before a moment.
	 */
	private record GrantedAt(long moment) implements Peer {

		@Override
		public Guard guard(List<String> keys, LockMode mode) {
			return new Guard() {

				@Override
				public void lock() {
					while (System.nanoTime() - GrantedAt.this.moment < 0) {
						Thread.onSpinWait();
					}
				}

				@Override
				public void unlock() {
					Thread.onSpinWait();
				}

			};
		}

		@Override
		public void close() {
			Thread.onSpinWait();
		}

	}

}
