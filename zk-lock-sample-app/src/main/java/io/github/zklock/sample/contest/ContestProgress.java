package io.github.zklock.sample.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.sample.contest.ContestReport.Percentiles;
import io.github.zklock.sample.contest.QueueObserver.QueuedNode;

/**
 * How far a contest is.
 */
public final class ContestProgress {

	/*-
	 * The clients' threads write, those that watch read. It is asked for, and is not pushed, so
	 * that a slow watcher slows nobody down.
	 */

	private final List<Left> left = new ArrayList<>();

	private LongSupplier watchEvents = () -> 0;

	private Supplier<List<QueuedNode>> queue = List::of;

	private Phase phase = Phase.CONNECTING;

	private @Nullable Thread thread;

	private boolean cancelled;

	private int connected;

	private long start;

	synchronized void begin(Thread thread) {
		this.thread = thread;
		if (this.cancelled) {
			thread.interrupt();
		}
	}

	/**
	 * Ends the contest early, unless its clients are leaving already. Does not wait.
	 */
	public synchronized void cancel() {
		this.cancelled = true;
		if (this.thread != null) {
			this.thread.interrupt();
		}
	}

	/**
	 * Begins the end, which is not cancelled any more.
	 */
	synchronized void leave() {
		this.phase = Phase.LEAVING;
		this.thread = null;
		Thread.interrupted();
	}

	synchronized void connected() {
		this.connected++;
	}

	synchronized void observe(WatchEventCounter watchEvents, QueueObserver observer) {
		this.watchEvents = watchEvents::count;
		this.queue = observer::queued;
	}

	synchronized void enter(Phase phase) {
		this.phase = phase;
	}

	synchronized void asked(long moment) {
		if (this.start == 0 || moment - this.start < 0) {
			this.start = moment;
		}
	}

	synchronized void left(Visit visit) {
		this.left.add(new Left(visit, this.watchEvents.getAsLong()));
	}

	/**
	 * Returns what the contest is doing.
	 * @return the phase
	 */
	public synchronized Phase phase() {
		return this.phase;
	}

	/**
	 * Counts the clients that have a session of their own.
	 * @return the number
	 */
	public synchronized int clientsConnected() {
		return this.connected;
	}

	/**
	 * Returns when the first client asked for the lock.
	 * @return the moment on the clock of {@link System#nanoTime()}; 0 if none has
	 */
	public synchronized long start() {
		return this.start;
	}

	/**
	 * Counts the watch events that have reached the clients.
	 * @return the number
	 */
	public synchronized long watchEventsSoFar() {
		return this.watchEvents.getAsLong();
	}

	/**
	 * Returns who is queued in ZooKeeper now.
	 * @return the contenders, the holder first; empty if the clients do not lock
	 */
	public List<QueuedNode> queue() {
		Supplier<List<QueuedNode>> current;
		synchronized (this) {
			current = this.queue;
		}
		return current.get();
	}

	/**
	 * Returns the clients that are done.
	 * @return their turns, in the order of their leaving
	 */
	public synchronized List<Left> left() {
		return List.copyOf(this.left);
	}

	/**
	 * Counts what has happened so far.
	 * @return the score
	 */
	public Score score() {
		List<Visit> visits = left().stream().map(Left::visit).toList();
		return visits.isEmpty() ? Score.NONE : new Referee(visits).score();
	}

	/**
	 * What a contest does.
	 */
	public enum Phase {

		/** The clients connect. */
		CONNECTING,

		/** The clients contend. */
		RUNNING,

		/** The clients close their sessions. */
		LEAVING

	}

	/**
	 * A client that is done.
	 *
	 * @param visit its turn
	 * @param watchEvents how many watch events had reached all clients when it left,
	 * before it released the lock
	 */
	public record Left(Visit visit, long watchEvents) {
	}

	/**
	 * What has happened so far.
	 *
	 * @param served how many came to the counter
	 * @param turnedAway how many did not
	 * @param overlaps how many came to the counter while another one was there
	 * @param soldTwice how many tickets had been sold before
	 * @param tokensOutOfOrder how many held a fencing token not larger than the one
	 * before; without a lock all but one
	 * @param waitMillis how long the served clients waited
	 */
	public record Score(int served, int turnedAway, int overlaps, int soldTwice, int tokensOutOfOrder,
			Percentiles waitMillis) {

		static final Score NONE = new Score(0, 0, 0, 0, 0, new Percentiles(0, 0, 0));

	}

}
