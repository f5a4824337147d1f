package io.github.zklock.internal.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.internal.cohort.OfferedGrant;

/**
 * Makes handles of requests: for a thread that waits, or for a future.
 */
public final class LockAcquirer {

	private final RequestRules requests;

	private final OpenAcquisitions open;

	private final CohortAccess cohorts;

	private final IdleGrants idle;

	private final Executor callbacks;

	/**
	 * Creates an acquirer.
	 * @param requests fills in what requests leave open
	 * @param open has what is acquired
	 * @param cohorts takes what is asked for
	 * @param callbacks runs the user's code
	 */
	LockAcquirer(RequestRules requests, OpenAcquisitions open, CohortAccess cohorts, Executor callbacks) {
		this.requests = requests;
		this.open = open;
		this.callbacks = callbacks;
		this.cohorts = cohorts;
		this.idle = new IdleGrants(requests, open, cohorts.cohorts().slots());
	}

	/**
	 * Acquires for the calling thread, which waits.
	 * @param request the request
	 * @return the handle
	 * @throws InterruptedException if interrupted; nothing is held
	 */
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		requireNoInterrupt(request);
		LockHandle taken = this.idle.take(request);
		return (taken != null) ? taken : callerOf(request).await();
	}

	/**
	 * Acquires for the calling thread, which waits.
	 * @param request the request
	 * @return the handle, or empty if others held a key all that time
	 * @throws InterruptedException if interrupted; nothing is held
	 */
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		requireNoInterrupt(request);
		LockHandle taken = this.idle.take(request);
		return (taken != null) ? Optional.of(taken) : callerOf(request).awaitOrBusy();
	}

	private void requireNoInterrupt(LockRequest request) throws InterruptedException {
		if (Thread.interrupted()) {
			InterruptedException interrupted = new InterruptedException(
					"Interrupted before " + ResolvedRequest.named(request) + " was asked for");
			try {
				this.open.failed(this.requests.resolve(request, this), interrupted);
			}
			catch (IllegalArgumentException ex) {
				interrupted.addSuppressed(ex);
			}
			throw interrupted;
		}
	}

	private BlockedCaller callerOf(LockRequest request) {
		return new BlockedCaller(begin(request, Thread.currentThread(), (made) -> false));
	}

	/**
	 * Acquires for the calling thread, without a deadline and without regard to
	 * interrupts.
	 * @param request the request; its time-out is ignored
	 * @return the handle
	 */
	public LockHandle acquireUninterruptibly(LockRequest request) {
		LockHandle taken = this.idle.take(request);
		return (taken != null) ? taken : callerOf(request).awaitUninterruptibly();
	}

	/**
	 * Acquires for a future. No thread waits.
	 * @param request the request
	 * @return the user's future; completing it gives up
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // the stage after it brings nothing
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		CallersFuture users = new CallersFuture();
		Acquisition acquisition;
		try {
			acquisition = begin(request, new Object(), users::isWithout);
		}
		catch (LockException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		expireOnTime(acquisition);
		// By `handle`: a stage that fails as well makes an exception of its own
		acquisition.outcome().handle((handle, failure) -> {
			if (users.isOpen()) {
				this.callbacks.execute(() -> users.bring(handle, failure));
			}
			return null;
		});
		users.onGivenUp((cause) -> {
			acquisition.fail(cause);
			acquisition.caller().releaseWhenMade();
		});
		return users;
	}

	// Without a timer nobody would end it, so it is not granted either.
	private static void expireOnTime(Acquisition acquisition) {
		try {
			acquisition.expireOnTime();
		}
		catch (Throwable ex) {
			acquisition.fail(acquisition.asked().engineFailed(ex));
		}
	}

	private Acquisition begin(LockRequest request, Object defaultOwner, Predicate<? super LockHandle> abandoned) {
		ResolvedRequest asked = this.requests.resolve(request, defaultOwner);
		OfferedGrant offered = this.cohorts.offered(asked);
		Acquisition acquisition = this.open.begin(asked, abandoned);
		if (acquisition.isReentry() || !this.cohorts.take(acquisition, offered)) {
			this.cohorts.enter(acquisition, this.open::admit);
		}
		return acquisition;
	}

}
