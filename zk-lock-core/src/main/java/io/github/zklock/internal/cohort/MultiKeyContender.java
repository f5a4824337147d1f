package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;

/**
 * The local contender of a caller of several keys: it has a contender of its own in
 * ZooKeeper, never a grant that was handed off, because it must enter all queues in one
 * transaction.
 */
final class MultiKeyContender implements LocalContender, ContenderListener, Departures.Waiting {

	/*-
	 * WAITING -> ENTERING -> ENTERED -> LEAVING -> GONE, or WAITING -> GONE. Only a caller who comes while many others
	 * leave waits (`Departures`); `contender` completes with ENTERED, or with null for one that never enters. What
	 * becomes of it the strategy's contender knows, which calls one method at a time. What was seen is read by the
	 * caller's thread or the timer; it is volatile, and may be a moment old.
	 *
	 * I1: who leaves before the strategy has returned the contender leaves then. It may have been granted
	 *     by then, and its caller, who is another thread if it has waited for a share, may have released.
	 * I2: who leaves while it waits never enters: it is withdrawn, or the step that lets it in sees `left`.
	 * I3: who leaves without a grant is among the departures until it has gone, once.
	 */

	private final List<String> keys;

	private final LocalContenderListener listener;

	private final CommonSite common;

	private final Function<ContenderListener, @Nullable EnteredContender> entering;

	private final CompletableFuture<@Nullable EnteredContender> contender = new CompletableFuture<>();

	private final AtomicBoolean left = new AtomicBoolean();

	private volatile boolean granted;

	private volatile @Nullable BlockerSighting seen;

	private volatile @Nullable Exception disturbance;

	private MultiKeyContender(List<String> keys, LocalContenderListener listener, CommonSite common,
			Function<ContenderListener, @Nullable EnteredContender> entering) {
		this.keys = keys;
		this.listener = listener;
		this.common = common;
		this.entering = entering;
	}

	/**
	 * Refuses an attempt that would overtake callers of this process.
	 * @param key one of the attempt's keys
	 * @param listener is notified that it is busy
	 * @param common has the clock
	 * @return a local contender that is over
	 */
	static LocalContender refuse(String key, LocalContenderListener listener, CommonSite common) {
		MultiKeyContender local = new MultiKeyContender(List.of(), listener, common, (notified) -> null);
		local.enter();
		local.busy(LocalContender.queuedBefore(key));
		return local;
	}

	/**
	 * Enters a contender of the strategy, or does so later, when fewer leave.
	 * @param keys what is asked for
	 * @param entering makes the strategy's contender, or notifies of what kept it from
	 * that
	 * @param listener is notified of what becomes of it
	 * @param common has the clock and those who leave
	 * @return the local contender
	 */
	static LocalContender enter(List<String> keys, Function<ContenderListener, @Nullable EnteredContender> entering,
			LocalContenderListener listener, CommonSite common) {
		MultiKeyContender local = new MultiKeyContender(keys, listener, common, entering);
		if (common.departures().areFew() || common.departures().mayEnter(local)) {
			local.enter();
		}
		return local;
	}

	private void enter() {
		EnteredContender entered = null;
		try {
			entered = this.left.get() ? null : this.entering.apply(this);
		}
		finally {
			this.contender.complete(entered);
		}
	}

	@Override
	public List<String> keys() {
		return this.keys;
	}

	// By a step of its own: who has gone, or failed to enter, may let others in
	@Override
	public void letIn() {
		try {
			this.common.after(0, this::enter);
		}
		catch (Throwable ex) {
			this.left.set(true); // The step may have been timed all the same
			this.contender.complete(null);
			this.listener.failed(EnteredContender.failure(LockException.printable("locks " + this.keys), ex));
		}
	}

	@Override
	public CompletionStage<Void> leave() {
		boolean first = this.left.compareAndSet(false, true);
		// Who has entered waits no more, and never again
		if (!this.contender.isDone() && this.common.departures().withdraw(this)) {
			this.contender.complete(null);
		}
		CompletableFuture<Void> gone = this.contender.thenCompose(EnteredContender::leave);
		if (first && !this.granted) {
			this.common.departures().leaves(this.keys, gone);
		}
		return gone;
	}

	@Override
	public @Nullable Blocker blocker() {
		BlockerSighting last = this.seen;
		return (last != null) ? last.by(this.common.now()) : null;
	}

	@Override
	public @Nullable Exception disturbance() {
		return this.disturbance;
	}

	@Override
	public void granted(List<Grant> grants) {
		this.granted = true;
		this.listener.granted(GrantGroup.of(grants, this.common.failures(), this::leave));
	}

	@Override
	public void blocked(Blocker blocker) {
		this.seen = new BlockerSighting(blocker, this.common.now());
	}

	@Override
	public void awaits(Blocker blocker) {
		blocked(blocker);
	}

	@Override
	public void busy(Blocker blocker) {
		this.listener.busy(blocker);
	}

	@Override
	public void failed(LockException cause) {
		this.listener.failed(cause);
	}

	@Override
	public void disturbed(Exception cause) {
		this.disturbance = cause;
	}

	@Override
	public void lost(Grant grant, LostReason reason) {
		this.listener.lost(grant.key(), reason);
	}

}
