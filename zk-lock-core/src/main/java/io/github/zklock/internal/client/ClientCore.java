package io.github.zklock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.CallbackExecutor;
import io.github.zklock.internal.concurrent.StackProbe;

/**
 * What each client consists of, wherever its locks are: put together in its order, and
 * taken apart.
 */
public final class ClientCore {

	private static final Logger log = LoggerFactory.getLogger(ClientCore.class);

	private final AtomicBoolean closed = new AtomicBoolean();

	private final RequestRules rules;

	private final Executor callbacks;

	private final OpenAcquisitions open;

	private final Cohorts cohorts;

	private final LockAcquirer acquirer;

	/**
	 * Puts a client together.
	 * @param settings what it is to be like
	 * @param rules fill in what requests leave open
	 * @param site where its locks are
	 */
	public ClientCore(CommonSettings settings, RequestRules rules, ClientSite site) {
		this.rules = rules;
		this.callbacks = settings.callbacks(site.timer());
		this.open = new OpenAcquisitions(settings.dispatcher(this.callbacks, site), site.contention(), site.timer(),
				site.servers());
		this.cohorts = new Cohorts((nanos, step) -> cancelling(site.timer().after(nanos, step)), site.clock(),
				settings.handoffs(), site.reachable(), site.failures(), settings.maxRetained());
		CohortAccess access = new CohortAccess(this.cohorts, settings.slowWaits(this.callbacks, site), rules.shares(),
				(step) -> site.timer().later(0, step));
		this.acquirer = new LockAcquirer(rules, this.open, access, this.callbacks);
	}

	private static Runnable cancelling(Future<?> step) {
		return () -> step.cancel(false);
	}

	public RequestRules rules() {
		return this.rules;
	}

	public Executor callbacks() {
		return this.callbacks;
	}

	public OpenAcquisitions open() {
		return this.open;
	}

	public LockAcquirer acquirer() {
		return this.acquirer;
	}

	/**
	 * Counts what is kept here: nothing when nobody acquires or holds.
	 * @return the number of pending acquisitions, holds, cohorts and shares
	 */
	public int openCount() {
		return this.open.count() + this.cohorts.count() + this.rules.shares().count();
	}

	public boolean isClosed() {
		return this.closed.get();
	}

	/**
	 * Ends the client, once.
	 * @param end lets it leave, and ends what is behind it; then the threads for the
	 * user's code end
	 */
	public void close(Runnable end) {
		StackProbe.require();
		if (this.closed.compareAndSet(false, true)) {
			end.run();
			if (this.callbacks instanceof CallbackExecutor threads) {
				threads.shutdown();
			}
		}
	}

	/**
	 * Ends whatever is pending or held, and everything that comes later.
	 * @return completes when all of it is gone, and nobody is about to enter any more
	 */
	public CompletableFuture<Void> leaveAll() {
		CompletableFuture<Void> leaving = CompletableFuture.allOf(this.open.close(), this.cohorts.stopRetaining());
		return CompletableFuture.allOf(leaving, this.cohorts.whenEmpty());
	}

	/**
	 * Waits a short time for the end of what the client had.
	 * @param left what {@link #leaveAll} has returned
	 * @param seconds how long
	 * @param late what is logged if it does not come
	 */
	public static void awaitShortly(CompletableFuture<Void> left, long seconds, String late) {
		try {
			left.get(seconds, TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			log.warn(late);
		}
		catch (ExecutionException ex) {
			log.warn(late, ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
