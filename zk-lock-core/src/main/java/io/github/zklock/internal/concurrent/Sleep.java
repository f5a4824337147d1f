package io.github.zklock.internal.concurrent;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The sleep of a thread that waits for something. A {@link ForkJoinPool} has another
 * thread work meanwhile, if it can.
 */
public final class Sleep {

	/*-
	 * Not by `CompletableFuture.get`: there a thread of a ForkJoinPool runs other tasks while it
	 * waits, and these would enter its locks again; and it fails where the pool has no other
	 * thread to work meanwhile.
	 */

	// What is done after a future may fail for want of stack, and is not known then
	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Thread sleeper = Thread.currentThread();

	/** Lets the thread look whether its sleep is over. By any thread. */
	public void look() {
		LockSupport.unpark(this.sleeper);
	}

	/**
	 * Sleeps until something is so; {@link #look()} is to be called after it.
	 * @param over whether it is so
	 * @param remaining for how many nanoseconds to wait yet; {@code Long.MAX_VALUE} for
	 * ever
	 * @return whether it is so; false if the time is over
	 * @throws InterruptedException if interrupted before it is so
	 */
	public boolean until(BooleanSupplier over, LongSupplier remaining) throws InterruptedException {
		Blocker blocker = new Blocker(this, over, remaining);
		try {
			ForkJoinPool.managedBlock(blocker);
		}
		catch (RejectedExecutionException ex) {
			blocker.block();
		}
		return over.getAsBoolean();
	}

	/**
	 * Sleeps until something is so; {@link #look()} is to be called after it. An
	 * interrupt is kept for later.
	 * @param over whether it is so
	 */
	public void uninterruptiblyUntil(BooleanSupplier over) {
		boolean interrupted = false;
		while (!over.getAsBoolean()) {
			try {
				until(over, () -> Long.MAX_VALUE);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			this.sleeper.interrupt();
		}
	}

	/**
	 * Sleeps until a future is done.
	 * @param awaited the future
	 * @param remaining for how many nanoseconds to wait yet; {@code Long.MAX_VALUE} for
	 * ever
	 * @return whether it is done; false if the time is over
	 * @throws InterruptedException if interrupted before it is done
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // the stage after it brings nothing
	public static boolean untilDone(CompletableFuture<?> awaited, LongSupplier remaining) throws InterruptedException {
		Sleep sleep = new Sleep();
		awaited.whenComplete((result, failure) -> sleep.look());
		return sleep.until(awaited::isDone, () -> Math.min(remaining.getAsLong(), LOOK_NANOS));
	}

	/**
	 * What keeps a thread of a pool.
	 *
	 * @param sleep the sleep
	 * @param over whether it is over
	 * @param remaining for how long it may last yet
	 */
	private record Blocker(Sleep sleep, BooleanSupplier over,
			LongSupplier remaining) implements ForkJoinPool.ManagedBlocker {

		@Override
		public boolean isReleasable() {
			return this.over.getAsBoolean();
		}

		@Override
		public boolean block() throws InterruptedException {
			while (!isReleasable()) {
				long left = this.remaining.getAsLong();
				if (left <= 0) {
					return true;
				}
				if (left == Long.MAX_VALUE) {
					LockSupport.park(this.sleep);
				}
				else {
					LockSupport.parkNanos(this.sleep, left);
				}
				if (Thread.interrupted()) {
					refuseUnlessOver();
				}
			}
			return true;
		}

		private void refuseUnlessOver() throws InterruptedException {
			if (!isReleasable()) {
				throw new InterruptedException("Interrupted while waiting");
			}
			Thread.currentThread().interrupt();
		}

	}

}
