package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * Workers that want locks, again and again, and log what they saw. What they hold they
 * look at all the time, and they write to a fenced store.
 */
final class Contention implements AutoCloseable {

	private static final long LOOK_NANOS = 200_000;

	/** A way to acquire, of four: its owner is no thread. */
	private static final int ASYNCHRONOUS = 1;

	private final LockClient client;

	private final RoundPlan plan;

	private final History.Log log;

	private final FencedStore store;

	private final String name;

	private final List<Thread> workers = new ArrayList<>();

	private volatile boolean stopped;

	Contention(LockClient client, RoundPlan plan, History.Log log, FencedStore store, String name, long seed) {
		this.client = client;
		this.plan = plan;
		this.log = log;
		this.store = store;
		this.name = name;
		for (int i = 0; i < plan.workers(); i++) {
			int number = i;
			Thread worker = new Thread(() -> work(name + "-" + number, new Random(seed + number)),
					"worker-" + name + "-" + number);
			worker.setDaemon(true);
			this.workers.add(worker);
		}
	}

	Contention start() {
		this.workers.forEach(Thread::start);
		return this;
	}

	private void work(String worker, Random random) {
		for (int round = 0; !this.stopped; round++) {
			String who = worker + "#" + round;
			LockRequest request = this.plan.request(random);
			long began = System.nanoTime();
			int way = this.plan.restless() ? random.nextInt(4) : 0;
			try (LockHandle handle = acquire(way, request, random)) {
				if (handle != null) {
					this.log.granted(who, handle, request.timeout().toNanos(), System.nanoTime() - began);
					// Who comes again may be before the one that has asked
					if (hold(who, handle, way != ASYNCHRONOUS, random)) {
						return;
					}
				}
			}
			catch (LockException ex) {
				this.log.failed(who, ex, request.timeout().toNanos(), System.nanoTime() - began);
				pause(random);
			}
			catch (InterruptedException ex) {
				this.log.failed(who, ex, request.timeout().toNanos(), System.nanoTime() - began);
			}
			catch (RuntimeException | Error ex) {
				this.log.note("BROKEN", who, ex);
				throw ex;
			}
		}
	}

	// An outage answers at once where nobody needs to wait, so that a loop would spin.
	private static void pause(Random random) {
		LockSupport.parkNanos(random.nextInt(5_000_000));
	}

	private LockHandle acquire(int way, LockRequest request, Random random) throws InterruptedException {
		switch (way) {
			case ASYNCHRONOUS -> {
				return giveUpInTime(this.client.acquireAsync(request), random);
			}
			case 2 -> {
				return acquireInterrupted(request, random);
			}
			default -> {
				return this.client.acquire(request);
			}
		}
	}

	private static LockHandle giveUpInTime(CompletableFuture<LockHandle> future, Random random)
			throws InterruptedException {
		try {
			return future.get(random.nextInt(30_000), TimeUnit.MICROSECONDS);
		}
		catch (TimeoutException ex) {
			if (!future.cancel(false) && !future.isCompletedExceptionally()) {
				future.join().release();
			}
			return null;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockException failure) {
				throw failure;
			}
			throw new IllegalStateException(ex);
		}
	}

	// The interrupt comes while the call is under way, or not at all.
	private LockHandle acquireInterrupted(LockRequest request, Random random) throws InterruptedException {
		Thread thread = Thread.currentThread();
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture.delayedExecutor(TimeUnit.MICROSECONDS.toNanos(random.nextInt(30_000)), TimeUnit.NANOSECONDS)
			.execute(() -> {
				synchronized (over) {
					if (!over.get()) {
						thread.interrupt();
					}
				}
			});
		try {
			return this.client.acquire(request);
		}
		finally {
			synchronized (over) {
				over.set(true);
			}
			Thread.interrupted();
		}
	}

	// Returns whether somebody has asked for the lock
	private boolean hold(String who, LockHandle handle, boolean ownedByThread, Random random) {
		AtomicLong notified = new AtomicLong(HoldRecord.NEVER);
		handle.onLost(() -> notified.compareAndSet(HoldRecord.NEVER, System.nanoTime()));
		long first = System.nanoTime();
		if (!handle.isHeld()) {
			this.log.note("LATE", who, handle.key(), handle.fencingToken());
			return false;
		}
		for (String key : handle.keys()) {
			this.log.entered(who, key, handle.mode(key), handle.fencingToken(key), first);
		}
		write(who, handle);
		AtomicBoolean asked = new AtomicBoolean();
		if (this.plan.isUntilAsked()) {
			handle.onContended((caller) -> {
				if (caller.reason() != null && !asked.get()) {
					this.log.note("ASKED", who, caller.reason());
					asked.set(true);
				}
			});
		}
		long limit = first + this.plan.holdNanos(random);
		long last = first;
		if (this.plan.downgrades(handle, random)) {
			last = downgrade(who, handle, look(handle, last, limit, asked));
			limit = System.nanoTime() + this.plan.readNanos(random);
		}
		last = look(handle, last, limit, asked);
		boolean held = handle.isHeld();
		boolean accepted = write(who, handle);
		if (!held && !handle.mode().isShared()) {
			this.log.note("LOST", who, accepted ? "accepted" : "refused",
					ownedByThread ? reenter(handle) : "has no thread that could re-enter");
		}
		if (!held) {
			awaitLoss(notified);
		}
		for (String key : handle.keys()) {
			this.log.left(who, key, last, notified.get());
		}
		return asked.get();
	}

	// Returns the last moment at which it was held
	private long look(LockHandle handle, long since, long until, AtomicBoolean asked) {
		long last = since;
		while (!this.stopped && !asked.get()) {
			long now = System.nanoTime();
			if (now - until >= 0 || !handle.isHeld()) {
				break;
			}
			last = now;
			LockSupport.parkNanos(LOOK_NANOS);
		}
		return last;
	}

	// From the moment before it on, other readers may come in
	private long downgrade(String who, LockHandle handle, long last) {
		long now = System.nanoTime();
		if (!handle.isHeld()) {
			return last;
		}
		for (String key : handle.keys()) {
			if (handle.mode(key) == LockMode.WRITE) {
				this.log.downgraded(who, key, now);
			}
		}
		handle.downgrade();
		return now;
	}

	// Returns whether a write was accepted; who shares a key does not write
	private boolean write(String who, LockHandle handle) {
		boolean accepted = false;
		for (String key : handle.keys()) {
			if (!handle.mode(key).isShared() && HoldRecord.permits(key) == 0) {
				accepted |= this.store.write(who, key, handle.fencingToken(key));
			}
		}
		return accepted;
	}

	private String reenter(LockHandle handle) {
		try (LockHandle again = this.client
			.acquire(RoundPlan.request(handle.key(), handle.mode(handle.key())).timeout(Duration.ofSeconds(1)))) {
			return "entered " + again;
		}
		catch (LockLostException ex) {
			return "LockLostException";
		}
		catch (LockException | InterruptedException ex) {
			return ex.toString();
		}
	}

	private static void awaitLoss(AtomicLong notified) {
		long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
		while (notified.get() == HoldRecord.NEVER && System.nanoTime() - until < 0) {
			LockSupport.parkNanos(LOOK_NANOS);
		}
	}

	/**
	 * Returns the name of its lock client.
	 * @return the beginning of the names of its workers
	 */
	String name() {
		return this.name;
	}

	/** Lets every worker end its round. */
	void stop() {
		this.stopped = true;
	}

	/** Lets every worker end its round, and waits for that. */
	@Override
	public void close() {
		stop();
		for (Thread worker : this.workers) {
			try {
				worker.join(TimeUnit.SECONDS.toMillis(60));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			if (worker.isAlive()) {
				IllegalStateException stuck = new IllegalStateException(
						worker.getName() + " of " + this.name + " hangs");
				stuck.setStackTrace(worker.getStackTrace());
				throw stuck;
			}
		}
	}

}
