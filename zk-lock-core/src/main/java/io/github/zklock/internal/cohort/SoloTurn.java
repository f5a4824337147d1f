package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.Obstacle;

/**
 * The turn of a caller of several keys: a contender of its own, never a grant that was
 * handed over, because it must enter all lines in one transaction.
 */
final class SoloTurn implements Turn, ContenderListener {

	/*-
	 * No state of its own: the contender has it, and calls one method at a time. What was seen
	 * is read by the caller's thread or the timer; it is volatile, and may be a moment old.
	 */

	private final TurnListener listener;

	private final LongSupplier clock;

	private final Contender contender;

	private volatile @Nullable Seen seen;

	private volatile @Nullable Exception disturbance;

	private SoloTurn(TurnListener listener, LongSupplier clock, Function<ContenderListener, Contender> entrance) {
		this.listener = listener;
		this.clock = clock;
		this.contender = entered(entrance, listener);
	}

	private Contender entered(Function<ContenderListener, Contender> entrance, TurnListener told) {
		try {
			return entrance.apply(this);
		}
		catch (RuntimeException ex) {
			told.failed(new LockUnavailableException("The strategy failed: " + ex, ex));
			return () -> CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * Refuses an entry that would overtake callers of this process.
	 * @param key one of the entry's keys
	 * @param listener hears that it is busy
	 * @param clock the monotonic clock
	 * @return a turn that is over
	 */
	static Turn refuse(String key, TurnListener listener, LongSupplier clock) {
		Contender nobody = () -> CompletableFuture.completedFuture(null);
		SoloTurn turn = new SoloTurn(listener, clock, (heard) -> nobody);
		turn.busy(new Obstacle(key, "callers of this process who came before", false, null));
		return turn;
	}

	static Turn enter(Function<ContenderListener, Contender> entrance, TurnListener listener, LongSupplier clock) {
		return new SoloTurn(listener, clock, entrance);
	}

	@Override
	public CompletionStage<Void> leave() {
		return this.contender.leave();
	}

	@Override
	public @Nullable Obstacle obstacle() {
		Seen last = this.seen;
		return (last != null) ? last.by(this.clock.getAsLong()) : null;
	}

	@Override
	public @Nullable Exception disturbance() {
		return this.disturbance;
	}

	@Override
	public void granted(List<Grant> grants) {
		this.listener.granted(grants.stream().map(GrantShare::whole).toList());
	}

	@Override
	public void blocked(Obstacle obstacle) {
		this.seen = new Seen(obstacle, this.clock.getAsLong());
	}

	@Override
	public void busy(Obstacle obstacle) {
		this.listener.busy(obstacle);
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
