package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;

/**
 * The local contender of a caller of several keys: it has a contender of its own in
 * ZooKeeper, never a grant that was handed off, because it must enter all queues in one
 * transaction.
 */
final class MultiKeyContender implements LocalContender, ContenderListener {

	/*-
	 * No state of its own: the contender has it, and calls one method at a time. What was seen
	 * is read by the caller's thread or the timer; it is volatile, and may be a moment old.
	 *
	 * I1: who leaves before the strategy has returned the contender leaves then. It may have been granted
	 *     by then, and its caller, who is another thread if it has waited for a share, may have released.
	 */

	private final LocalContenderListener listener;

	private final CommonSite common;

	private final CompletableFuture<@Nullable EnteredContender> contender = new CompletableFuture<>();

	private volatile @Nullable BlockerSighting seen;

	private volatile @Nullable Exception disturbance;

	private MultiKeyContender(LocalContenderListener listener, CommonSite common,
			Function<ContenderListener, @Nullable EnteredContender> entering) {
		this.listener = listener;
		this.common = common;
		this.contender.complete(entering.apply(this));
	}

	/**
	 * Refuses an attempt that would overtake callers of this process.
	 * @param key one of the attempt's keys
	 * @param listener is notified that it is busy
	 * @param common has the clock
	 * @return a local contender that is over
	 */
	static LocalContender refuse(String key, LocalContenderListener listener, CommonSite common) {
		MultiKeyContender local = new MultiKeyContender(listener, common, (notified) -> null);
		local.busy(new Blocker(key, "callers of this process who came before", false, null));
		return local;
	}

	/**
	 * Enters a contender of the strategy.
	 * @param what names what is asked for
	 * @param entering makes the strategy's contender
	 * @param listener is notified of what becomes of it
	 * @param common has the clock, and is notified of what leaving throws
	 * @return the local contender
	 */
	static LocalContender enter(String what, Function<ContenderListener, Contender> entering,
			LocalContenderListener listener, CommonSite common) {
		return new MultiKeyContender(listener, common, (notified) -> {
			try {
				return EnteredContender.of(() -> entering.apply(notified), common.failures());
			}
			catch (Throwable ex) {
				notified.failed(EnteredContender.failure(what, ex));
				return null;
			}
		});
	}

	@Override
	public CompletionStage<Void> leave() {
		return this.contender.thenCompose(EnteredContender::leave);
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
