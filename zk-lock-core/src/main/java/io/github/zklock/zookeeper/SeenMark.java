package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/**
 * What this client has seen of a job's mark, by its own monotonic clock.
 */
final class SeenMark {

	/*-
	 * How long ago the last run was started is said by the clock of the servers' leader. Another leader
	 * may have another clock. So each client also knows when it first saw that run: no later than so
	 * long ago it was started. If it has watched the mark before, the run was started no earlier than a
	 * session time-out before that, for a watch that is cut off for longer ends with its session; or, where
	 * others keep the event thread for longer, than the last receipt was sent whose answer came before the
	 * event. That knowledge ends with the session too: while a machine is suspended its monotonic clock may
	 * stand still.
	 *
	 * I1: `isOld` is true only if the run was started at least so long ago, and `atMost` is no shorter than
	 *     the time since its start, whatever the clocks of the servers say.
	 *
	 * Watch events, answers and callers come on any thread; each call is short.
	 */

	private static final Duration UNKNOWN = Duration.ofSeconds(Long.MAX_VALUE);

	private final String path;

	private final LongSupplier clock;

	private @Nullable LockSession session;

	private @Nullable Watching watch;

	private String run = "";

	private long number = Long.MAX_VALUE;

	private long firstSeen;

	private boolean sawItComing;

	/** When the mark was still the former one. */
	private long unchangedAt;

	/** How long before it was first seen the run was started at most. */
	private long lateness;

	private @Nullable Former former;

	private boolean watching;

	private boolean left;

	SeenMark(String path, LongSupplier clock) {
		this.path = path;
		this.clock = clock;
	}

	/**
	 * Watches the mark from now on, if it does not yet.
	 * @param current the session of today; one that has ended is that of a late caller
	 */
	synchronized void watchIn(LockSession current) {
		if (!current.isLive()) {
			return;
		}
		leaveFormer(current);
		this.session = current;
		if (this.watch == null && !this.left) {
			Watching next = new Watching();
			this.watch = next;
			next.registration = current.watches().watchNode(this.path, next);
		}
	}

	/**
	 * Keeps nothing of a session that has ended: the mark may not be asked for any more.
	 * @param current the session of today
	 */
	synchronized void leaveFormer(LockSession current) {
		if (this.session != current) {
			endWatch();
			this.session = null;
			this.watching = false;
			this.sawItComing = false;
			this.former = (this.former != null) ? this.former.unforeseen() : null;
		}
	}

	synchronized @Nullable LockSession session() {
		return this.session;
	}

	/**
	 * Notes which run a read has shown.
	 * @param last the run; null if there was none
	 */
	synchronized void saw(@Nullable JobRun last) {
		String id = (last != null) ? last.id() : "";
		long count = (last != null) ? last.number() : 0;
		if (!id.equals(this.run) || count != this.number) {
			Former known = this.former;
			this.former = new Former(this.run, this.firstSeen, this.sawItComing, this.lateness);
			// One with a smaller number is what there was before a run that was taken
			// back
			if (known != null && known.run().equals(id) && count < this.number) {
				this.sawItComing = known.sawItComing();
				this.firstSeen = known.firstSeen();
				this.lateness = known.lateness();
			}
			else {
				this.sawItComing = this.watching && count > this.number;
				this.firstSeen = this.clock.getAsLong();
				this.lateness = this.firstSeen - this.unchangedAt;
			}
			this.run = id;
			this.number = count;
		}
	}

	/**
	 * Notes a run of our own.
	 * @param own the run
	 * @param sentAt nanoseconds of the clock before it was started
	 */
	synchronized void started(JobRun own, long sentAt) {
		if (!own.id().equals(this.run)) {
			this.former = new Former(this.run, this.firstSeen, this.sawItComing, this.lateness);
		}
		this.run = own.id();
		this.number = own.number();
		this.firstSeen = sentAt;
		this.lateness = 0;
		this.sawItComing = true;
	}

	/**
	 * Returns whether a run was certainly started long ago.
	 * @param last the run
	 * @param within how long
	 * @return false if that is not known
	 */
	synchronized boolean isOld(JobRun last, Duration within) {
		return last.id().equals(this.run) && age() >= within.toNanos();
	}

	/**
	 * Returns whether a run was certainly started lately.
	 * @param last the run
	 * @param within within which time
	 * @return false if that is not known
	 */
	boolean isRecent(JobRun last, Duration within) {
		return atMost(last).compareTo(within) < 0;
	}

	/**
	 * Returns how long ago a run was started at most.
	 * @param last the run
	 * @return longer than any rule says, if that is not known
	 */
	synchronized Duration atMost(JobRun last) {
		LockSession current = this.session;
		return (last.id().equals(this.run) && this.sawItComing && current != null)
				? Duration.ofNanos(age() + Math.max(current.timeoutNanos(), this.lateness)) : UNKNOWN;
	}

	synchronized boolean isWatchedIn(@Nullable LockSession some) {
		return this.watch != null && this.session == some;
	}

	private long age() {
		return this.clock.getAsLong() - this.firstSeen;
	}

	/** Nobody asks for the mark any more. */
	synchronized void leave() {
		this.left = true;
		endWatch();
	}

	private void endWatch() {
		if (this.watch != null && this.watch.registration != null) {
			this.watch.registration.leave();
		}
		this.watch = null;
	}

	/**
	 * Returns who is notified of the watch.
	 * @return the listener; null if nothing is watched
	 */
	synchronized NodeWatch.@Nullable Listener listener() {
		return this.watch;
	}

	private synchronized void set(Watching one, byte @Nullable [] content) {
		if (content != null) {
			saw(JobRun.parse(NodeContent.text(content)));
		}
		this.watching = this.watch == one;
		unchanged();
	}

	// On the event thread: answers that were handled before came before what is handled
	private synchronized void unchanged() {
		if (this.session != null) {
			this.unchangedAt = this.session.lastReceipt();
		}
	}

	private synchronized void over(Watching one, boolean goesOn) {
		LockSession current = this.session;
		if (this.watch == one) {
			this.watch = null;
			this.watching = this.watching && goesOn;
			if (goesOn && current != null) {
				watchIn(current);
			}
		}
	}

	/**
	 * What was known of the run before, which is there again if the one after it is taken
	 * back.
	 *
	 * @param run its id; empty if there was none
	 * @param firstSeen when it was first seen
	 * @param sawItComing whether the mark was watched then, in the session of today
	 * @param lateness how long before it was first seen it was started at most
	 */
	private record Former(String run, long firstSeen, boolean sawItComing, long lateness) {

		Former unforeseen() {
			return new Former(this.run, this.firstSeen, false, this.lateness);
		}

	}

	/**
	 * One watch. It may be notified before who sets it knows it.
	 */
	private final class Watching implements NodeWatch.Listener {

		private @Nullable Registration registration;

		@Override
		public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
			set(this, content);
		}

		@Override
		public void notWatching(Code code) {
			over(this, false);
		}

		@Override
		public void changed(EventType type) {
			unchanged();
			over(this, type == EventType.NodeDataChanged);
		}

	}

}
