package io.github.zklock.internal.session;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

/**
 * What is held in one session.
 */
public final class LeaseHolders {

	/*-
	 * Any thread holds and lets go; a timer looks, and only while something is held.
	 *
	 * I1: while anything is held a timer waits for the end of the lease; the lease may have
	 *     been renewed by then, so it looks again. When the lease is over all holds are lost.
	 * I2: each is looked at once in every round, which lasts a twenty-fourth of the session time-out at
	 *     the most, and whose node is older than a twelfth watches it. So the node of what is held is watched
	 *     before it is a sixth old, and the deletion of a younger one is noticed when it is to be watched.
	 * I3: where many are held a round has so many looks that each concerns some of them, chosen by chance, or
	 *     all of their watches would be set at one moment.
	 * I4: what one holder throws is reported and keeps nobody else from being notified.
	 * I5: a look that fails is followed by the next one; and what could not be timed, for want of
	 *     memory, is timed for the next that is held.
	 */

	/** A look concerns about so many. */
	static final int SOME = 256;

	/** A round has so many looks at the most. */
	static final int MOST_LOOKS = 32;

	private final LongSupplier clock;

	private final Timer timer;

	private final StepFailures failures;

	private final Lease lease;

	private final Set<LeaseHolder> held = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean looking = new AtomicBoolean();

	LeaseHolders(LongSupplier clock, Timer timer, Lease lease) {
		this.clock = clock;
		this.timer = timer;
		this.failures = timer.failures();
		this.lease = lease;
	}

	/**
	 * Notes that a lock is held, so that it is notified of the lease's end.
	 * @param holder what is held
	 */
	public void add(LeaseHolder holder) {
		this.held.add(holder);
		lookLater();
	}

	/**
	 * Notes that a lock is not held any more, so that nothing more is done for it.
	 * @param holder what was held
	 */
	public void remove(LeaseHolder holder) {
		this.held.remove(holder);
	}

	/**
	 * Returns whether something is held by a node.
	 * @param path the node's path
	 * @return whether it is, and was not lost or released
	 */
	public boolean isHeldBy(String path) {
		return this.held.stream().anyMatch((holder) -> holder.isHeldBy(path));
	}

	/** The session has ended, and each has been notified of that. */
	void clear() {
		this.held.clear();
	}

	/**
	 * Takes a lock away from its holder, if it is here: it is lost before its node is
	 * deleted.
	 * @param path the path of its node
	 * @param token the node's first fencing token
	 * @return completes when the node is gone; null if nobody here holds it
	 */
	@Nullable CompletionStage<Void> takeAway(String path, long token) {
		return this.held.stream()
			.map((holder) -> holder.takeAway(path, token))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private void lookLater() {
		if (this.looking.compareAndSet(false, true)) {
			scheduleLook(0, looks());
		}
	}

	private int looks() {
		return Math.min(MOST_LOOKS, 1 + this.held.size() / SOME);
	}

	private void scheduleLook(int look, int looks) {
		try {
			this.timer.run(Math.min(this.lease.remaining(), this.lease.sessionNanos() / 24 / looks),
					() -> lookAndGoOn(look, looks));
		}
		catch (Throwable ex) {
			this.looking.set(false);
			throw ex;
		}
	}

	private void lookAndGoOn(int look, int looks) {
		try {
			look(look, looks);
		}
		finally {
			goOn(look, looks);
		}
	}

	private void goOn(int look, int looks) {
		if (!this.held.isEmpty()) {
			scheduleNext(look + 1, looks);
			return;
		}
		this.looking.set(false);
		if (!this.held.isEmpty()) {
			lookLater();
		}
	}

	private void scheduleNext(int look, int looks) {
		if (look < looks) {
			scheduleLook(look, looks);
		}
		else {
			scheduleLook(0, looks());
		}
	}

	// When the lease is over none is left out
	private void look(int look, int looks) {
		boolean all = !this.lease.isValid();
		long watchFrom = this.clock.getAsLong() - this.lease.sessionNanos() / 12;
		for (LeaseHolder holder : this.held) {
			if (all || lookOf(holder, looks) == look) {
				this.failures.contain(holder, () -> lookAt(holder, watchFrom));
			}
		}
	}

	// The same part of every round, however many looks that has
	private static int lookOf(LeaseHolder holder, int looks) {
		return (int) (((long) System.identityHashCode(holder) * looks) >>> 31);
	}

	// One that is not valid notifies its holder itself.
	private void lookAt(LeaseHolder holder, long watchFrom) {
		boolean valid = false;
		try {
			valid = holder.isValid();
		}
		finally {
			if (!valid) {
				this.held.remove(holder);
			}
		}
		if (valid) {
			holder.watchItself(watchFrom);
		}
	}

}
