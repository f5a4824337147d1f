package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.stream.Stream;

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

	private static final CompletionStage<Void> NOTHING = CompletableFuture.completedStage(null);

	private static final AtomicIntegerFieldUpdater<Hold> HANDLES = AtomicIntegerFieldUpdater.newUpdater(Hold.class,
			"handles");

	private static final AtomicReferenceFieldUpdater<Hold, HeldLock[]> SUBSCRIBERS = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, HeldLock[].class, "subscribers");

	private static final HeldLock[] NOBODY = {};

	private static final AtomicReferenceFieldUpdater<Hold, @Nullable LostReason> LOST = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, LostReason.class, "lost");

	private final Holds holds;

	private final Object owner;

	private final LocalGrant localGrant;

	private volatile int handles = 1;

	private volatile HeldLock[] subscribers = NOBODY;

	private volatile @Nullable LostReason lost;

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
		return this.lost;
	}

	public boolean isValid() {
		return this.lost == null && this.localGrant.isValid();
	}

	/**
	 * Returns whether leaving is expected to take little of a thread's stack.
	 * @return false if it is not known
	 */
	public boolean isLeftAtOnce() {
		return this.localGrant.isBackAtOnce();
	}

	/**
	 * Adds this hold to a few others.
	 * @param others the others
	 * @return all of them, this one last
	 */
	List<Hold> addedTo(List<Hold> others) {
		return others.isEmpty() ? List.of(this) : Stream.concat(others.stream(), Stream.of(this)).toList();
	}

	/**
	 * Enters once more.
	 * @return false if the last handle has left already
	 */
	public boolean enter() {
		int count = this.handles;
		while (count > 0 && !HANDLES.compareAndSet(this, count, count + 1)) {
			count = this.handles;
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
		if (HANDLES.decrementAndGet(this) > 0) {
			return NOTHING;
		}
		this.holds.remove(this);
		return this.localGrant.release(mayLinger);
	}

	/**
	 * Leaves several once each. Nobody is expected to come back.
	 * @param several of one owner
	 * @return completes when the nodes are gone of those that no other handle has
	 */
	static CompletionStage<Void> exitAll(List<Hold> several) {
		List<LocalGrant> ended = new ArrayList<>(several.size());
		for (Hold hold : several) {
			if (HANDLES.decrementAndGet(hold) <= 0) {
				hold.holds.remove(hold);
				ended.add(hold.localGrant);
			}
		}
		return LocalGrant.releaseAll(ended);
	}

	/**
	 * Leaves once. Nobody is expected to come back.
	 * @return completes when the node is gone; at once if other handles remain
	 */
	public CompletionStage<Void> exit() {
		return exit(false);
	}

	public void subscribe(HeldLock handle) {
		SUBSCRIBERS.updateAndGet(this, (known) -> with(known, handle));
		LostReason reason = this.lost;
		if (reason != null) {
			handle.lost(reason);
		}
	}

	public void unsubscribe(HeldLock handle) {
		SUBSCRIBERS.updateAndGet(this, (known) -> without(known, handle));
	}

	private static HeldLock[] with(HeldLock[] known, HeldLock handle) {
		HeldLock[] more = Arrays.copyOf(known, known.length + 1);
		more[known.length] = handle;
		return more;
	}

	private static HeldLock[] without(HeldLock[] known, HeldLock handle) {
		return (known.length == 1 && known[0] == handle) ? NOBODY
				: Stream.of(known).filter((other) -> other != handle).toArray(HeldLock[]::new);
	}

	public void lose(LostReason reason) {
		if (LOST.compareAndSet(this, null, reason)) {
			for (HeldLock handle : this.subscribers) {
				handle.lost(reason);
			}
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
