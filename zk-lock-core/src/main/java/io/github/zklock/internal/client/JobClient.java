package io.github.zklock.internal.client;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.concurrent.Deadline;

/**
 * Grants a lock only if it was not granted by this kind of client for some time before:
 * first the lock, and then the mark that says so.
 */
final class JobClient implements LockClient {

	/*-
	 * Nothing of its own is kept. The lock is held while the mark is asked, so one client at a time
	 * does that for a key. What is not wanted any more when the mark answers is taken back, and the
	 * lock is released after that, however long ago the caller has gone.
	 */

	// For the mark, after the lock
	private static final long MORE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockClient locks;

	private final Jobs jobs;

	private final JobMarks.Rule rule;

	/**
	 * Creates a client.
	 * @param locks gives the locks, as handles of the type {@link HeldLock}
	 * @param jobs remembers when they were given
	 * @param rule when a lock may be granted again
	 */
	JobClient(LockClient locks, Jobs jobs, JobMarks.Rule rule) {
		this.locks = locks;
		this.jobs = jobs;
		this.rule = rule;
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		ResolvedRequest asked = resolve(request);
		HeldLock lock = (HeldLock) this.locks.acquire(request);
		JobMarks.Attempt attempt = await(lock, asked);
		if (attempt.run() == null) {
			throw attempt.notDue(request, this.rule);
		}
		return new JobHandle(lock, attempt.run());
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		ResolvedRequest asked = resolve(request);
		HeldLock lock = (HeldLock) this.locks.tryAcquire(request).orElse(null);
		if (lock == null) {
			return Optional.empty();
		}
		JobMarks.Run run = await(lock, asked).run();
		return (run != null) ? Optional.of(new JobHandle(lock, run)) : Optional.empty();
	}

	private ResolvedRequest resolve(LockRequest request) {
		boolean permit = request.permits().stream().anyMatch((number) -> number > 0);
		// The first key names the job
		if (permit || request.modes().get(0).isShared()) {
			throw new IllegalArgumentException("The lock of a job must exclude others, but %s was asked for"
				.formatted(permit ? "a permit" : "mode READ"));
		}
		return this.jobs.requests().resolve(request, this);
	}

	private JobMarks.Attempt await(LockHandle lock, ResolvedRequest asked) throws InterruptedException {
		JobMarks.Start start = start(lock, asked);
		JobMarks.Attempt attempt = null;
		try {
			attempt = start.await();
			return attempt;
		}
		catch (ExecutionException ex) {
			RuntimeException cause = known(ex.getCause());
			this.jobs.open().failed(asked, cause);
			throw cause;
		}
		catch (InterruptedException ex) {
			this.jobs.open().failed(asked, ex);
			throw ex;
		}
		finally {
			if (attempt == null) {
				start.giveUp();
			}
			if (attempt == null || attempt.run() == null) {
				releaseBehind(start, lock);
			}
		}
	}

	private static long patience(Deadline deadline) {
		return deadline.isForever() ? deadline.remaining() : Math.max(deadline.remaining(), 0) + MORE_NANOS;
	}

	private JobMarks.Start start(LockHandle lock, ResolvedRequest asked) {
		try {
			Deadline deadline = asked.deadline();
			return this.jobs.marks().start(lock, this.rule, deadline::elapsed, patience(deadline));
		}
		catch (Throwable ex) {
			lock.release();
			this.jobs.open().failed(asked, ex);
			throw ex;
		}
	}

	// The next one to get the lock must not take what is taken back for a run
	private static void releaseBehind(JobMarks.Start start, LockHandle lock) {
		start.over().thenRun(lock::release);
	}

	private static RuntimeException known(@Nullable Throwable cause) {
		return (cause instanceof LockException || cause instanceof IllegalArgumentException) ? (RuntimeException) cause
				: new LockUnavailableException("Whether the job is due could not be found out", cause);
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // they only forward the outcome
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		ResolvedRequest asked = resolve(request);
		CallersFuture users = new CallersFuture();
		CompletableFuture<LockHandle> acquiring = this.locks.acquireAsync(request);
		users.onGivenUp((cause) -> acquiring.cancel(false));
		acquiring.whenComplete((lock, failure) -> {
			try {
				if (lock == null) {
					users.fail(unwrapped(failure));
				}
				else {
					follow(users, asked, (HeldLock) lock, start(lock, asked));
				}
			}
			catch (Throwable ex) {
				users.fail(known(ex));
			}
		});
		return users;
	}

	// What nobody gets is taken back here, not by the callback, which may have to wait
	@SuppressWarnings("FutureReturnValueIgnored") // they only forward its outcome
	private void follow(CallersFuture users, ResolvedRequest asked, HeldLock lock, JobMarks.Start start) {
		CompletableFuture<@Nullable JobHandle> made = start.outcome().handle((attempt, failure) -> {
			if (attempt != null && attempt.run() != null) {
				return new JobHandle(lock, attempt.run());
			}
			releaseBehind(start, lock);
			return null;
		});
		made.thenAccept((handle) -> this.jobs.callbacks().execute(() -> answered(users, asked, start, handle)));
		users.onGivenUp((cause) -> {
			start.outcome().cancel(false);
			made.thenAccept((handle) -> takeBack(start, handle));
		});
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the outcome is there
	private void answered(CallersFuture users, ResolvedRequest asked, JobMarks.Start start,
			@Nullable JobHandle handle) {
		if (handle == null) {
			start.outcome().whenComplete((attempt, failure) -> notStarted(users, asked, attempt, failure));
		}
		else if (!users.answer(handle)) {
			takeBack(start, handle);
		}
	}

	private void notStarted(CallersFuture users, ResolvedRequest asked, JobMarks.@Nullable Attempt attempt,
			@Nullable Throwable failure) {
		if (attempt != null) {
			users.fail(attempt.notDue(asked.request(), this.rule));
			return;
		}
		Throwable cause = unwrapped(failure);
		RuntimeException known = (cause instanceof CancellationException cancelled) ? cancelled : known(cause);
		this.jobs.open().failed(asked, known);
		users.fail(known);
	}

	private static void takeBack(JobMarks.Start start, @Nullable JobHandle handle) {
		if (handle != null && handle.takeBack()) {
			releaseBehind(start, handle);
		}
	}

	private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	@Override
	public Lock asLock(String key) {
		throw new UnsupportedOperationException("A job's lock has no view");
	}

	@Override
	public ReadWriteLock asReadWriteLock(String key) {
		throw new UnsupportedOperationException("A job's lock has no view");
	}

	/** Does nothing: the locks belong to another client. */
	@Override
	public void close() {
		// Holds nothing
	}

}
