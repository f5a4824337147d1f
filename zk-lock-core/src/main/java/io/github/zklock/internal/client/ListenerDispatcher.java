package io.github.zklock.internal.client;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockListener;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;

/**
 * Notifies the user's listeners of what happens, one event at a time, on the callback
 * executor; of the beginning of a call on the call's own thread.
 */
final class ListenerDispatcher {

	/*-
	 * Any thread brings an event. It is queued where it happens, so the queue has the order of
	 * what happened. One task of the callback executor at a time takes events from it, MOST_EVENTS at
	 * most: who finds `scheduled` false sets it and brings a task, and the task, which sets it back, looks
	 * into the queue again after that. What could not be brought waits for the next event.
	 *
	 * A listener that does not return keeps all events waiting. When `mostWaiting` do, an acquisition
	 * that begins is noted as unreported, and so are its later events; listeners that count what begins and
	 * ends, or keep something until it ends, stay right for all others. What is logged says when this
	 * begins, and it has ended when half of the events that waited are delivered.
	 *
	 * I1: an acquisition is reported as a whole or not at all.
	 * I2: no more events wait than `mostWaiting`, and those of acquisitions that had begun before; and
	 *     only acquisitions under way, or held, are noted as unreported.
	 *
	 * Reports that must not be mixed, such as a loss and the release after it, are steps of a
	 * serial executor of their own.
	 */

	private static final Logger log = LoggerFactory.getLogger(ListenerDispatcher.class);

	private static final int MOST_EVENTS = 100;

	private final SerialExecutor reports;

	private final StepFailures failures;

	private final Queue<Consumer<LockListener>> undelivered = new ConcurrentLinkedQueue<>();

	private final AtomicInteger waiting = new AtomicInteger();

	private final int mostWaiting;

	/** The ids of acquisitions under way of which no listener is notified. */
	private final Set<Long> unreported = ConcurrentHashMap.newKeySet();

	/** How many were not reported since this was logged. */
	private final AtomicLong unreportedCount = new AtomicLong();

	/** The one that is notified of something. For the log alone. */
	private volatile @Nullable LockListener notified;

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final List<LockListener> listeners;

	private final Executor callbacks;

	private final LongSupplier clock;

	/**
	 * Creates a dispatcher.
	 * @param listeners the user's
	 * @param callbacks runs the user's code
	 * @param clock the monotonic clock
	 * @param failures is notified of each step of the engine that fails; what a listener
	 * throws is none
	 * @param mostWaiting how many events may wait before acquisitions are left out
	 */
	ListenerDispatcher(List<LockListener> listeners, Executor callbacks, LongSupplier clock, StepFailures failures,
			int mostWaiting) {
		this.mostWaiting = mostWaiting;
		this.failures = failures;
		this.reports = new SerialExecutor(failures);
		this.listeners = List.copyOf(listeners);
		this.callbacks = callbacks;
		this.clock = clock;
	}

	StepFailures failures() {
		return this.failures;
	}

	Executor callbacks() {
		return this.callbacks;
	}

	long now() {
		return this.clock.getAsLong();
	}

	/**
	 * Returns whether anybody listens. Otherwise no event need be made.
	 * @return whether there are listeners
	 */
	boolean hasListeners() {
		return !this.listeners.isEmpty();
	}

	/**
	 * Reports several things in one go.
	 * @param step reports them
	 */
	void report(Runnable step) {
		this.reports.execute(step);
	}

	void asked(LockListener.Event event) {
		if (this.waiting.get() < this.mostWaiting) {
			this.listeners.forEach((listener) -> deliver(listener, (user) -> user.asked(event)));
		}
		else {
			leaveOut();
			this.unreported.add(event.id());
		}
	}

	private void leaveOut() {
		if (this.unreportedCount.getAndIncrement() == 0) {
			LockListener slow = this.notified;
			log.warn(
					"{} events of locks wait: {}. Locks that are asked for from now on are not reported to lock listeners, so what these count is not right any more (zk-lock.max-waiting-events, maxWaitingEvents)",
					this.mostWaiting, (slow != null) ? "LockListener " + slow.getClass().getName() + " has not returned"
							: "the callback executor does not run lock listeners");
		}
	}

	// Behind the release of who held it before, which may be under way
	void acquired(LockListener.Event event) {
		if (isReported(event)) {
			report(() -> deliver((listener) -> listener.acquired(event)));
		}
	}

	void notAcquired(LockListener.Event event, Throwable cause) {
		if (!ended(event)) {
			deliver((listener) -> listener.notAcquired(event, cause));
		}
	}

	void failed(LockListener.Event event, Throwable cause) {
		asked(event);
		notAcquired(event, cause);
	}

	// Behind the loss, if that is under way
	void released(LockListener.Event event) {
		report(() -> {
			if (!ended(event)) {
				deliver((listener) -> listener.released(event));
			}
		});
	}

	void lost(LockListener.Event event, LostReason reason) {
		if (isReported(event)) {
			deliver((listener) -> listener.lost(event, reason));
		}
	}

	private boolean isReported(LockListener.Event event) {
		return this.unreported.isEmpty() || !this.unreported.contains(event.id());
	}

	// Returns whether it was not reported
	private boolean ended(LockListener.Event event) {
		return !this.unreported.isEmpty() && this.unreported.remove(event.id());
	}

	private void deliver(Consumer<LockListener> what) {
		if (!this.listeners.isEmpty()) {
			this.waiting.incrementAndGet();
			this.undelivered.add(what);
			schedule();
		}
	}

	int waitingCount() {
		return this.waiting.get();
	}

	int unreportedUnderWay() {
		return this.unreported.size();
	}

	private void schedule() {
		if (this.scheduled.compareAndSet(false, true)) {
			try {
				this.callbacks.execute(this::deliverSome);
			}
			catch (Throwable ex) {
				this.scheduled.set(false);
				throw ex;
			}
		}
	}

	private void deliverSome() {
		try {
			Consumer<LockListener> next = this.undelivered.poll();
			for (int i = 1; next != null; i++) {
				deliverOne(next, this.waiting.decrementAndGet());
				next = (i < MOST_EVENTS) ? this.undelivered.poll() : null;
			}
		}
		finally {
			this.notified = null;
			this.scheduled.set(false);
		}
		if (!this.undelivered.isEmpty()) {
			schedule();
		}
	}

	private void deliverOne(Consumer<LockListener> what, int left) {
		if (left <= this.mostWaiting / 2 && this.unreportedCount.get() > 0) {
			log.warn("Lock listeners are notified again; {} locks were not reported to them",
					this.unreportedCount.getAndSet(0));
		}
		this.listeners.forEach((listener) -> {
			this.notified = listener;
			deliver(listener, what);
		});
	}

	private static void deliver(LockListener listener, Consumer<LockListener> what) {
		try {
			what.accept(listener);
		}
		catch (Throwable ex) {
			log.error("A lock listener failed", ex);
		}
	}

	/**
	 * Gives a user a future whose continuations run on the callback executor.
	 * @param ours the engine's own future; never fails
	 * @return a future of the user's own
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // ours never fails
	CompletableFuture<Void> onCallbacks(CompletableFuture<Void> ours) {
		CompletableFuture<Void> users = new CompletableFuture<>();
		ours.whenComplete((nothing, failure) -> this.callbacks.execute(() -> users.complete(null)));
		return users;
	}

}
