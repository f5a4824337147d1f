package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;

/**
 * Notifies one handle of those who wait for its keys.
 */
final class ContentionReport {

	/*-
	 * The timer looks each second; a look at other clients asks the servers only if the queue has
	 * changed since the last one, and the callers of the same client are looked for by all its handles
	 * together (`WaitingByKey`). What is found is collected in `found`; the action runs on the callback
	 * executor.
	 *
	 * I1: one action runs at a time, and there is no look meanwhile: an action that blocks holds
	 *     up nobody but itself, and what waits for it is what one look has found.
	 * I2: after `end`, or when the handle is not held any more, no action begins, and none of the
	 *     observers stays: the timer ends them after its last look.
	 *
	 * `seen` and `observers` are confined to the timer's thread.
	 */

	private static final Logger log = LoggerFactory.getLogger(ContentionReport.class);

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

	private final ContentionReports client;

	private final LockHandle handle;

	private final Consumer<? super WaitingCaller> action;

	private final Map<String, ContentionSource.Observer> observers = new LinkedHashMap<>();

	private final Queue<WaitingCaller> found = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean running = new AtomicBoolean();

	private Set<Seen> seen = Set.of();

	private volatile boolean ended;

	ContentionReport(ContentionReports client, LockHandle handle, Consumer<? super WaitingCaller> action) {
		this.client = client;
		this.handle = handle;
		this.action = action;
	}

	void start() {
		this.client.timer().later(0, this::look);
	}

	/** There is nothing to report any more. */
	void end() {
		this.ended = true;
		this.client.timer().later(0, this::leave);
	}

	private void leave() {
		this.observers.values().forEach(ContentionSource.Observer::leave);
		this.observers.clear();
	}

	private void look() {
		if (this.ended) {
			return;
		}
		this.client.timer().later(PAUSE, this::look);
		if (this.running.get() || !this.handle.isHeld()) {
			return;
		}
		for (String key : this.handle.keys()) {
			this.observers.computeIfAbsent(key, this.client.source()::observe)
				.look(this.handle.mode(key), (waiters) -> {
					this.found.addAll(waiters);
					run();
				});
		}
		this.found.addAll(newCallers());
		run();
	}

	private List<WaitingCaller> newCallers() {
		List<WaitingCaller> callers = new ArrayList<>();
		Set<Seen> present = new HashSet<>();
		for (String key : this.handle.keys()) {
			LockMode held = this.handle.mode(key);
			for (WaitingByKey.Waiting waiting : this.client.waiting().of(key)) {
				if (waiting.acquisition().isDecided() || (waiting.mode().isShared() && held.isShared())) {
					continue;
				}
				Seen caller = new Seen(waiting.acquisition(), key);
				present.add(caller);
				if (!this.seen.contains(caller)) {
					Duration waited = Duration.ofNanos(waiting.acquisition().asked().deadline().elapsed());
					callers.add(this.client.source().local(key, waiting.mode(), waiting.thread(), waited));
				}
			}
		}
		this.seen = present;
		return callers;
	}

	// Who adds looks at `running` after it, and who has run at `found` after that.
	private void run() {
		if (!this.found.isEmpty() && this.running.compareAndSet(false, true)) {
			try {
				this.client.callbacks().execute(this::runAll);
			}
			catch (Throwable ex) {
				this.running.set(false);
				throw ex;
			}
		}
	}

	private void runAll() {
		for (WaitingCaller next = this.found.poll(); next != null; next = this.found.poll()) {
			if (!this.ended && this.handle.isHeld()) {
				run(next);
			}
		}
		this.running.set(false);
		run();
	}

	private void run(WaitingCaller contention) {
		try {
			this.action.accept(contention);
		}
		catch (Throwable ex) {
			log.error("An onContended action of {} failed", LockException.named(this.handle.keys()), ex);
		}
	}

	/**
	 * A caller who waits for a key.
	 *
	 * @param acquisition the caller's
	 * @param key the key
	 */
	private record Seen(Acquisition acquisition, String key) {
	}

}
