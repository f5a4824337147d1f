package io.github.zklock.internal.session;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

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
	 * I3: where many are held a round has so many looks that each concerns some of them, spread by their ids, or
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

	/** By the look that concerns them, which so walks no others, and by their ids. */
	private final List<Map<String, LeaseHolder>> held;

	private final AtomicBoolean looking = new AtomicBoolean();

	LeaseHolders(LongSupplier clock, Timer timer, Lease lease) {
		this.clock = clock;
		this.timer = timer;
		this.failures = timer.failures();
		this.lease = lease;
		this.held = Stream.<Map<String, LeaseHolder>>generate(ConcurrentHashMap::new).limit(MOST_LOOKS).toList();
	}

	/**
	 * Notes that a lock is held, so that it is notified of the lease's end.
	 * @param holder what is held
	 */
	public void add(LeaseHolder holder) {
		partOf(holder.id()).put(holder.id(), holder);
		lookLater();
	}

	/**
	 * Notes that a lock is not held any more, so that nothing more is done for it.
	 * @param holder what was held
	 */
	public void remove(LeaseHolder holder) {
		partOf(holder.id()).remove(holder.id(), holder);
	}

	// The same part in every round. Ids are counted up, so their hash codes are spread
	private Map<String, LeaseHolder> partOf(String id) {
		return this.held.get(part(id.hashCode() * 0x9E3779B9));
	}

	/**
	 * Returns where a holder is.
	 * @param hash its hash code, spread
	 * @return the number of its part
	 */
	static int part(int hash) {
		return (int) (((hash & Integer.MAX_VALUE) * (long) MOST_LOOKS) >>> 31);
	}

	/**
	 * Returns whether something is held by a node.
	 * @param id the holder's id; null if it is not known, and all are asked
	 * @param path the node's path
	 * @return whether it is, and was not lost or released
	 */
	public boolean isHeldBy(@Nullable String id, String path) {
		if (id == null) {
			return all().anyMatch((holder) -> holder.isHeldBy(path));
		}
		@Nullable LeaseHolder holder = partOf(id).get(id);
		return holder != null && holder.isHeldBy(path);
	}

	private Stream<LeaseHolder> all() {
		return this.held.stream().flatMap((part) -> part.values().stream());
	}

	/** The session has ended, and each has been notified of that. */
	void clear() {
		this.held.forEach(Map::clear);
	}

	/**
	 * Takes a lock away from its holder, if it is here: it is lost before its node is
	 * deleted.
	 * @param path the path of its node
	 * @param token the node's first fencing token
	 * @return completes when the node is gone; null if nobody here holds it
	 */
	@Nullable CompletionStage<Void> takeAway(String path, long token) {
		return all().map((holder) -> holder.takeAway(path, token)).filter(Objects::nonNull).findFirst().orElse(null);
	}

	private void lookLater() {
		if (this.looking.compareAndSet(false, true)) {
			scheduleLook(0, looks());
		}
	}

	private int looks() {
		int size = 0;
		for (Map<String, LeaseHolder> part : this.held) {
			size += part.size();
		}
		return Math.min(MOST_LOOKS, 1 + size / SOME);
	}

	private boolean isNothingHeld() {
		for (Map<String, LeaseHolder> part : this.held) {
			if (!part.isEmpty()) {
				return false;
			}
		}
		return true;
	}

	private void scheduleLook(int look, int looks) {
		try {
			this.timer.later(Math.min(this.lease.remaining(), this.lease.sessionNanos() / 24 / looks),
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
		if (!isNothingHeld()) {
			scheduleNext(look + 1, looks);
			return;
		}
		this.looking.set(false);
		if (!isNothingHeld()) {
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
		long watchFrom = this.clock.getAsLong() - this.lease.sessionNanos() / 12;
		for (Map<String, LeaseHolder> part : this.lease.isValid() ? ofLook(look, looks) : this.held) {
			for (LeaseHolder holder : part.values()) {
				this.failures.contain(holder, () -> lookAt(holder, watchFrom));
			}
		}
	}

	/**
	 * Returns whom a look concerns.
	 * @param look which look of its round, from 0
	 * @param looks how many the round has, at most {@link #MOST_LOOKS}
	 * @return some of the parts; each belongs to one look of a round
	 */
	List<Map<String, LeaseHolder>> ofLook(int look, int looks) {
		return this.held.subList(look * MOST_LOOKS / looks, (look + 1) * MOST_LOOKS / looks);
	}

	// One that is not valid notifies its holder itself.
	private void lookAt(LeaseHolder holder, long watchFrom) {
		boolean valid = false;
		try {
			valid = holder.isValid();
		}
		finally {
			if (!valid) {
				remove(holder);
			}
		}
		if (valid) {
			holder.watchItself(watchFrom);
		}
	}

}
