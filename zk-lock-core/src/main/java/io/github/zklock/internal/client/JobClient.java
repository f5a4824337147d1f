package io.github.zklock.internal.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.concurrent.Deadline;

/**
 * Grants a lock only if it was not granted by this kind of client for some time before:
 * first the lock, and then the mark that says so.
 */
public final class JobClient implements LockClient {

	/*-
	 * Nothing of its own is kept. The lock is held while the mark is asked, so one client at a time
	 * does that for a key. What is not wanted any more when the mark answers is taken back, and the
	 * lock is released behind that.
	 */

	private final LockClient locks;

	private final JobMarks marks;

	private final RequestResolver requests;

	private final Executor callbacks;

	private final JobMarks.Rule rule;

	/**
	 * Creates a client.
	 * @param locks gives the locks
	 * @param marks remembers when they were given
	 * @param requests says how long a request may take
	 * @param callbacks runs the user's code
	 * @param rule when a lock may be granted again
	 */
	public JobClient(LockClient locks, JobMarks marks, RequestResolver requests, Executor callbacks,
			JobMarks.Rule rule) {
		this.locks = locks;
		this.marks = marks;
		this.requests = requests;
		this.callbacks = callbacks;
		this.rule = rule;
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		Deadline deadline = deadline(request);
		JobMarks.Attempt attempt = null;
		LockHandle lock = this.locks.acquire(request);
		try {
			attempt = await(lock, deadline);
		}
		finally {
			if (attempt == null || attempt.run() == null) {
				lock.release();
			}
		}
		if (attempt.run() == null) {
			throw notDue(attempt.last(), request);
		}
		return new JobHandle(lock, attempt.run());
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		Deadline deadline = deadline(request);
		LockHandle lock = this.locks.tryAcquire(request).orElse(null);
		if (lock == null) {
			return Optional.empty();
		}
		JobMarks.Run run = null;
		try {
			run = await(lock, deadline).run();
		}
		finally {
			if (run == null) {
				lock.release();
			}
		}
		return (run != null) ? Optional.of(new JobHandle(lock, run)) : Optional.empty();
	}

	private Deadline deadline(LockRequest request) {
		if (request.mode().isShared()) {
			throw new IllegalArgumentException("The lock of a job must exclude others, but mode READ was asked for");
		}
		return this.requests.resolve(request, this).deadline();
	}

	private JobMarks.Attempt await(LockHandle lock, Deadline deadline) throws InterruptedException {
		CompletableFuture<JobMarks.Attempt> answer = this.marks.start(lock, this.rule, patience(deadline));
		try {
			return answer.get();
		}
		catch (ExecutionException ex) {
			throw known(ex.getCause());
		}
		catch (InterruptedException ex) {
			takeBack(answer);
			throw ex;
		}
	}

	private static long patience(Deadline deadline) {
		return Math.max(deadline.remaining(), Deadline.ZERO_BUDGET);
	}

	@SuppressWarnings("FutureReturnValueIgnored") // what failed needs no taking back
	private static void takeBack(CompletableFuture<JobMarks.Attempt> answer) {
		answer.thenAccept((late) -> {
			if (late.run() != null) {
				late.run().takeBack();
			}
		});
	}

	private static RuntimeException known(@Nullable Throwable cause) {
		return (cause instanceof LockException || cause instanceof IllegalArgumentException) ? (RuntimeException) cause
				: new LockUnavailableException("Whether the job is due could not be found out", cause);
	}

	private LockTimeoutException notDue(@Nullable JobRun last, LockRequest request) {
		return new LockTimeoutException("Job '%s' is not due: it was started at %s%s, and not again within %s"
			.formatted(request.keys().get(0), (last != null) ? last.started() : "an unknown time",
					(last != null && last.instance() != null) ? " by " + last.instance() : "", this.rule.within()));
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // the stages behind ours only forward
													// its outcome
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		Deadline deadline = deadline(request);
		CompletableFuture<LockHandle> users = new CompletableFuture<>();
		CompletableFuture<LockHandle> acquiring = this.locks.acquireAsync(request);
		users.whenComplete((handle, failure) -> acquiring.cancel(false));
		acquiring.whenComplete((lock, failure) -> {
			if (lock == null) {
				users.completeExceptionally(unwrapped(failure));
			}
			else {
				this.marks.start(lock, this.rule, patience(deadline))
					.whenComplete((attempt, ended) -> this.callbacks
						.execute(() -> answered(users, request, lock, attempt, ended)));
			}
		});
		return users;
	}

	private void answered(CompletableFuture<LockHandle> users, LockRequest request, LockHandle lock,
			JobMarks.@Nullable Attempt attempt, @Nullable Throwable failure) {
		JobMarks.Run run = (attempt != null) ? attempt.run() : null;
		if (run != null && users.complete(new JobHandle(lock, run))) {
			return;
		}
		if (run != null) {
			run.takeBack();
		}
		lock.release();
		users.completeExceptionally((attempt != null) ? notDue(attempt.last(), request) : known(unwrapped(failure)));
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
