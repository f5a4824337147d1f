package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LostReason;

/**
 * Grants what was taken to a local contender, and notifies it of the loss after that.
 */
final class OrderedTaker implements OfferedGrant.Taker {

	/*-
	 * I1: the listener is notified of a loss once, after the grant: of the end of the grant and
	 *     the loss, what comes second reports the loss. One CAS on `ending` decides.
	 */

	private static final Object GRANTED = new Object();

	private final AtomicReference<@Nullable Object> ending = new AtomicReference<>();

	private final LocalContenderListener listener;

	private final LocalGrant localGrant;

	OrderedTaker(LocalContenderListener listener, LocalGrant localGrant) {
		this.listener = listener;
		this.localGrant = localGrant;
	}

	/** The local grant was taken. */
	void granted() {
		this.listener.granted(List.of(this.localGrant));
		if (!this.ending.compareAndSet(null, GRANTED) && this.ending.get() instanceof LostReason reason) {
			this.listener.lost(this.localGrant.key(), reason);
		}
	}

	@Override
	public void lose(LostReason reason) {
		if (!this.ending.compareAndSet(null, reason)) {
			this.listener.lost(this.localGrant.key(), reason);
		}
	}

}
