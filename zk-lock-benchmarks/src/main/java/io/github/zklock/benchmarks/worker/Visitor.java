package io.github.zklock.benchmarks.worker;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.benchmarks.peer.Guard;
import io.github.zklock.benchmarks.peer.Peer;

/**
 * One thread's work: it locks, checks that it is alone, and counts.
 */
final class Visitor implements Callable<Tally> {

	// With the first a library may have to learn that a key is in use
	private static final int VISITS_BEFORE = 3;

	private final Peer peer;

	private final Load load;

	private final Arbiter arbiter;

	private final int number;

	private final SplittableRandom random;

	/** Made once: what is allocated here would count as the lock's. */
	private final long[] seen;

	private long visits;

	private long writes;

	private long start;

	private long stop;

	private boolean bare;

	private @Nullable Arrivals arrivals;

	/**
	 * Creates the work of one thread.
	 * @param peer what it locks with
	 * @param load what it does
	 * @param arbiter checks it
	 * @param number its number among the threads of all processes
	 */
	Visitor(Peer peer, Load load, Arbiter arbiter, int number) {
		this.peer = peer;
		this.load = load;
		this.arbiter = arbiter;
		this.number = number;
		this.random = new SplittableRandom(number);
		this.seen = new long[load.atOnce()];
	}

	/**
	 * Visits each key, so that it is known to the servers.
	 * @throws Exception if it cannot
	 */
	void visitBefore() throws Exception {
		int times = (this.load.keys() == KeyChoice.FRESH) ? 1 : VISITS_BEFORE * this.load.rotation();
		for (int i = 0; i < times; i++) {
			for (LockMode mode : modes()) {
				Guard guard = guard(this.visits, mode);
				guard.lock();
				guard.unlockAndDrain();
			}
			this.visits++;
		}
	}

	/**
	 * Sets when the next call counts.
	 * @param start from which moment of {@code System.nanoTime()}
	 * @param stop until which moment
	 * @return this
	 */
	Visitor counting(long start, long stop) {
		this.start = start;
		this.stop = stop;
		this.bare = false;
		this.arrivals = null;
		return this;
	}

	/**
	 * Sets that the next call does not ask when it has released, but when callers come.
	 * It returns when those who came before the end were served.
	 * @param start from which moment their waits are counted
	 * @param stop until which moment they come
	 * @param arrivals when they come, to all threads of the process
	 * @return this
	 */
	Visitor serving(long start, long stop, Arrivals arrivals) {
		this.start = start;
		this.stop = stop;
		this.bare = false;
		this.arrivals = arrivals;
		return this;
	}

	/**
	 * Sets that the next call counts nothing and holds nothing longer than it must, so
	 * that it does as much as it can.
	 * @param stop until which moment
	 * @return this
	 */
	Visitor heating(long stop) {
		this.start = stop;
		this.stop = stop;
		this.bare = true;
		this.arrivals = null;
		return this;
	}

	@Override
	public Tally call() throws Exception {
		Histogram waits = new Histogram(3);
		Histogram writerWaits = new Histogram(3);
		Histogram cycles = new Histogram(3);
		List<Map<LockMode, Guard>> guards = guards();
		long first = this.visits;
		this.writes = 0;
		GrantWindows.Counting windows = new GrantWindows.Counting(this.start, this.stop);
		long counted = 0;
		long before = 0;
		long longest = 0;
		boolean last = false;
		while (!last) {
			LockMode mode = nextMode();
			long asked = nextCall();
			// Once more, so that its end can be waited for
			last = asked - this.stop >= 0;
			Guard guard = (this.load.keys() == KeyChoice.FRESH) ? guard(this.visits, mode)
					: Objects.requireNonNull(guards.get((int) (this.visits % guards.size())).get(mode));
			guard.lock();
			long granted = System.nanoTime();
			visit(mode);
			if (last) {
				guard.unlockAndDrain();
			}
			else {
				guard.unlock();
			}
			this.visits++;
			windows.add(granted);
			if (isCounted(granted)) {
				if (counted > 0) {
					cycles.recordValue(granted - before);
				}
				counted++;
				before = granted;
			}
			if (isCounted((this.arrivals != null) ? asked : granted)) {
				waits.recordValue(granted - asked);
				if (mode == LockMode.WRITE) {
					writerWaits.recordValue(granted - asked);
				}
			}
			longest = Math.max(longest, longest(asked, granted));
		}
		return new Tally(List.of(counted), this.visits - first, this.writes, waits, writerWaits, cycles, longest,
				windows.windows(), 0, 0);
	}

	private boolean isCounted(long moment) {
		return moment - this.start >= 0 && moment - this.stop < 0;
	}

	// A visitor that still waits at the end has waited until then; all that have arrived
	// are waited for
	private long longest(long asked, long granted) {
		if (this.arrivals != null) {
			return isCounted(asked) ? granted - asked : 0;
		}
		return (granted - this.start < 0) ? 0 : ((granted - this.stop < 0) ? granted : this.stop) - asked;
	}

	// When the call was made, or should have been made
	private long nextCall() {
		Arrivals open = this.arrivals;
		if (open == null) {
			think();
			return System.nanoTime();
		}
		long next = open.next();
		// The last visit, for which nobody comes, is none of the measured time
		Pause.until((next - this.stop < 0) ? next : this.stop);
		return next;
	}

	// For each key of the rotation and each mode
	private List<Map<LockMode, Guard>> guards() {
		List<Map<LockMode, Guard>> guards = new ArrayList<>();
		for (int i = 0; i < this.load.rotation(); i++) {
			Map<LockMode, Guard> ofKey = new EnumMap<>(LockMode.class);
			for (LockMode mode : modes()) {
				ofKey.put(mode, guard(i, mode));
			}
			guards.add(ofKey);
		}
		return guards;
	}

	private List<LockMode> modes() {
		return (this.load.readPercent() == 0) ? List.of(LockMode.EXCLUSIVE) : List.of(LockMode.READ, LockMode.WRITE);
	}

	private LockMode nextMode() {
		if (this.load.readPercent() == 0) {
			return LockMode.EXCLUSIVE;
		}
		return (this.random.nextInt(100) < this.load.readPercent()) ? LockMode.READ : LockMode.WRITE;
	}

	private Guard guard(long visit, LockMode mode) {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < this.load.atOnce(); i++) {
			keys.add(key(visit, i));
		}
		return switch (this.load.use()) {
			case LOCK -> this.peer.guard(keys, mode);
			case PERMIT -> this.peer.permit(keys.get(0), this.load.permits());
			case DOWNGRADE -> this.peer.downgraded(keys.get(0));
			case READ_AND_WRITE -> this.peer.readAndWrite(keys.get(0), keys.get(1));
			case JOB -> this.peer.job(keys.get(0));
			case REFUSED_JOB -> this.peer.refusedJob(keys.get(0));
		};
	}

	private String key(long visit, int i) {
		return switch (this.load.keys()) {
			case ONE -> "one-" + i;
			case OWN -> "own-" + slot(visit, i);
			case FRESH -> "fresh-" + this.number + "-" + visit + "-" + i;
		};
	}

	private int slot(long visit, int i) {
		return switch (this.load.keys()) {
			case ONE -> i;
			case OWN ->
				Load.MAX_KEYS * (1 + this.number) + (int) (visit % this.load.rotation()) * this.load.atOnce() + i;
			case FRESH -> Load.MAX_KEYS * (1 + this.number) + i;
		};
	}

	private void visit(LockMode mode) {
		if (this.load.permits() > 0) {
			int slot = slot(this.visits, 0);
			this.arbiter.enterWithPermit(slot, this.load.permits());
			stay();
			this.arbiter.exit(slot, true, 0);
			return;
		}
		int keys = this.load.atOnce();
		for (int i = 0; i < keys; i++) {
			this.seen[i] = this.arbiter.enter(slot(this.visits, i), isShared(mode, i));
		}
		stay();
		for (int i = 0; i < keys; i++) {
			boolean shared = isShared(mode, i);
			this.arbiter.exit(slot(this.visits, i), shared, this.seen[i]);
			this.writes += shared ? 0 : 1;
		}
	}

	private boolean isShared(LockMode mode, int i) {
		return switch (this.load.use()) {
			case DOWNGRADE -> true;
			case READ_AND_WRITE -> i == 0;
			default -> mode == LockMode.READ;
		};
	}

	private void stay() {
		if (this.load.sectionMicros() > 0 && !this.bare) {
			Pause.until(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(this.load.sectionMicros()));
		}
	}

	private void think() {
		if (this.load.thinkMicros() > 0 && !this.bare) {
			double time = Pause.draw(this.random, (double) TimeUnit.MICROSECONDS.toNanos(this.load.thinkMicros()));
			long now = System.nanoTime();
			// Not past the end
			Pause.until(now + Math.min((long) time, this.stop - now));
		}
	}

}
