package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.spi.Grant;

/**
 * An owner's hold of one key, with its count of handles.
 */
public final class Hold {

	/*-
	 * What an owner holds of one key, entered by one or more handles.
	 *
	 * HELD -> LOST; both -> RELEASED, when the last handle has left.
	 *
	 * I1: `handles` never rises from zero: a caller that comes then must acquire again.
	 * I2: `lost` is set once; each handle that is entered is notified of it once: `subscribe`
	 *     looks at `lost` after it has added, `lose` reads the handles after it has set `lost`,
	 *     and a handle drops the second report.
	 * I3: a lost local grant is released like any other, so that its node is deleted; at the
	 *     latest when the last handle leaves.
	 */

	private final Holds holds;

	private final Object owner;

	private final LocalGrant localGrant;

	private final AtomicInteger handles = new AtomicInteger(1);

	private final List<HeldLock> subscribers = new CopyOnWriteArrayList<>();

	private final AtomicReference<@Nullable LostReason> lost = new AtomicReference<>();

	public Hold(Holds holds, Object owner, LocalGrant localGrant) {
		this.holds = holds;
		this.owner = owner;
		this.localGrant = localGrant;
	}

	public String key() {
		return this.localGrant.key();
	}

	public Object owner() {
		return this.owner;
	}

	public LockMode mode() {
		return this.localGrant.mode();
	}

	public long token() {
		return this.localGrant.token();
	}

	public Grant grant() {
		return this.localGrant.grant();
	}

	public @Nullable LostReason lostReason() {
		return this.lost.get();
	}

	public boolean isValid() {
		return this.lost.get() == null && this.localGrant.isValid();
	}

	/**
	 * Returns whether leaving is expected to take little of a thread's stack.
	 * @return false if it is not known
	 */
	public boolean isLeftAtOnce() {
		return this.localGrant.isBackAtOnce();
	}

	/**
	 * Enters once more.
	 * @return false if the last handle has left already
	 */
	public boolean enter() {
		int count = this.handles.get();
		while (count > 0 && !this.handles.compareAndSet(count, count + 1)) {
			count = this.handles.get();
		}
		return count > 0;
	}

	/**
	 * Leaves once.
	 * @param mayLinger whether the grant may be kept for a moment, in case a caller comes
	 * back at once
	 * @return completes when the node is gone; at once if other handles remain
	 */
	public CompletionStage<Void> exit(boolean mayLinger) {
		if (this.handles.decrementAndGet() > 0) {
			return CompletableFuture.completedFuture(null);
		}
		this.holds.remove(this);
		return this.localGrant.release(mayLinger);
	}

	/**
	 * Leaves once. Nobody is expected to come back.
	 * @return completes when the node is gone; at once if other handles remain
	 */
	public CompletionStage<Void> exit() {
		return exit(false);
	}

	public void subscribe(HeldLock handle) {
		this.subscribers.add(handle);
		LostReason reason = this.lost.get();
		if (reason != null) {
			handle.lost(reason);
		}
	}

	public void unsubscribe(HeldLock handle) {
		this.subscribers.remove(handle);
	}

	public void lose(LostReason reason) {
		if (this.lost.compareAndSet(null, reason)) {
			this.subscribers.forEach((handle) -> handle.lost(reason));
		}
	}

	/**
	 * Gives the key up although handles remain; they have lost it.
	 * @param reason why
	 * @return completes when the node is gone
	 */
	public CompletionStage<Void> giveUp(LostReason reason) {
		lose(reason);
		return this.localGrant.forfeit();
	}

	/**
	 * Gives the key up because the client is closed, so that nobody enters it again.
	 * @return completes when the node is gone
	 */
	public CompletionStage<Void> close() {
		this.holds.remove(this);
		return giveUp(LostReason.CLIENT_CLOSED);
	}

}
