package io.github.zklock.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Measures how long something takes, and for how long the machine did not let it run
 * meanwhile: a promise about time is not broken by a machine that has no processor to
 * spare, nor by a garbage collection. A thread that does nothing but wake up every
 * millisecond says how late it was.
 */
public final class Stopwatch {

	private static final long NAP = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long LATE = TimeUnit.MILLISECONDS.toNanos(2);

	private static final AtomicLong STALLED = new AtomicLong();

	/** Counted when their stalls are. */
	private static final AtomicLong NAPS = new AtomicLong();

	static {
		Thread meter = new Thread(Stopwatch::measureStalls, "test-stall-meter");
		meter.setDaemon(true);
		meter.start();
	}

	private final long start = System.nanoTime();

	private final long stalledBefore = STALLED.get();

	private Stopwatch() {
	}

	/**
	 * Starts a stopwatch.
	 * @return the stopwatch
	 */
	public static Stopwatch start() {
		awaitMeter();
		return new Stopwatch();
	}

	private static void measureStalls() {
		long before = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(NAP);
			long now = System.nanoTime();
			long nap = now - before;
			if (nap > LATE) {
				STALLED.addAndGet(nap - NAP);
			}
			NAPS.incrementAndGet();
			before = now;
		}
	}

	/**
	 * Returns the time since the start.
	 * @return the time, stalls included
	 */
	public Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	/**
	 * Returns the time since the start in which the machine let it run.
	 * @return the time, stalls not counted
	 */
	public Duration running() {
		long elapsed = elapsed().toNanos();
		awaitMeter();
		return Duration.ofNanos(Math.max(0, elapsed - (STALLED.get() - this.stalledBefore)));
	}

	// The meter may be the last thread that goes on when the machine does. The nap that
	// it counts next may have ended before this; the one after it has not
	private static void awaitMeter() {
		long awaited = NAPS.get() + 2;
		while (NAPS.get() < awaited) {
			LockSupport.parkNanos(NAP);
		}
	}

	/**
	 * Holds that it took at least some time and at most some other, stalls not counted.
	 * @param least the least time
	 * @param most the most time
	 */
	public void assertBetween(Duration least, Duration most) {
		Duration elapsed = elapsed();
		Duration running = running();
		assertThat(elapsed).isGreaterThanOrEqualTo(least);
		assertThat(running).as("%s, of which stalled %s", elapsed, elapsed.minus(running)).isLessThanOrEqualTo(most);
	}

}
