package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.internal.cohort.OfferedGrant;
import io.github.zklock.spi.Grant;

/**
 * An owner's hold of one key, with its count of handles.
 */
final class Hold implements OfferedGrant.Taker {

	/*-
	 * What an owner holds of one key, entered by one or more handles.
	 *
	 * HELD -> LOST; both -> RELEASED, when the last handle has left.
	 *
	 * `uses` counts the handles, and apart from them those that keep everybody else out: of a WRITE
	 * hold the ones that are not READ, of an EXCLUSIVE one all, of a READ one none. When the last of
	 * them has left a WRITE hold, and others have not, the local grant is made READ.
	 *
	 * I1: neither count ever rises from zero: a caller that comes then must acquire again, or is
	 *     refused as one that asks for more than READ.
	 * I2: `lost` is set once; each handle that is entered is notified of it once: `subscribe`
	 *     looks at `lost` after it has added, `lose` reads the handles after it has set `lost`,
	 *     and a handle drops the second report.
	 * I3: a lost local grant is released like any other, so that its node is deleted; at the
	 *     latest when the last handle leaves. To forget the hold never throws.
	 * I4: what one handle leaves behind is awaited by the last one: `behind` is set before a
	 *     handle leaves.
	 */

	private static final CompletionStage<Void> NOTHING = CompletableFuture.completedStage(null);

	private static final AtomicLongFieldUpdater<Hold> USES = AtomicLongFieldUpdater.newUpdater(Hold.class, "uses");

	private static final long WRITER = 1L << Integer.SIZE;

	private static final AtomicReferenceFieldUpdater<Hold, @Nullable HeldLock> FIRST = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, HeldLock.class, "first");

	private static final AtomicReferenceFieldUpdater<Hold, HeldLock[]> OTHERS = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, HeldLock[].class, "others");

	private static final HeldLock[] NOBODY = {};

	private static final AtomicReferenceFieldUpdater<Hold, @Nullable LostReason> LOST = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, LostReason.class, "lost");

	private final Holds holds;

	private final Holds.Owned owned;

	private final List<Hold> alone = List.of(this);

	private final LocalGrant localGrant;

	private final LockMode mode;

	private volatile long uses;

	// Most holds have one handle at a time
	private volatile @Nullable HeldLock first;

	private volatile HeldLock[] others = NOBODY;

	private volatile @Nullable LostReason lost;

	private volatile @Nullable CompletionStage<Void> behind;

	Hold(Holds holds, Object owner, LocalGrant localGrant) {
		this.holds = holds;
		this.owned = new Holds.Owned(owner, localGrant.key());
		this.localGrant = localGrant;
		this.mode = localGrant.mode();
		this.uses = one(this.mode);
	}

	private long one(LockMode entered) {
		boolean writes = this.mode == LockMode.EXCLUSIVE || (this.mode == LockMode.WRITE && !entered.isShared());
		return writes ? WRITER + 1 : 1;
	}

	private static boolean isEntered(long counts) {
		return (int) counts > 0;
	}

	private static boolean isWriting(long counts) {
		return counts >= WRITER;
	}

	Holds.Owned owned() {
		return this.owned;
	}

	String key() {
		return this.owned.key();
	}

	Object owner() {
		return this.owned.owner();
	}

	/**
	 * Returns this hold alone.
	 * @return always the same list
	 */
	List<Hold> alone() {
		return this.alone;
	}

	long token() {
		return this.localGrant.token();
	}

	Grant grant() {
		return this.localGrant.grant();
	}

	/**
	 * Returns how many may hold the key together with this hold.
	 * @return 0 if it is a lock's
	 */
	int permits() {
		return this.localGrant.grant().permits();
	}

	@Nullable LostReason lostReason() {
		return this.lost;
	}

	/**
	 * Says why holds cannot be entered.
	 * @param several of one owner
	 * @return the loss of one of them, or null if none is lost
	 */
	static @Nullable LockLostException lossOf(List<Hold> several) {
		for (Hold hold : several) {
			if (!hold.isValid()) {
				LostReason reason = hold.lostReason();
				return new LockLostException("Could not enter lock '%s' again: it was lost because %s"
					.formatted(hold.key(), ((reason != null) ? reason : LostReason.LEASE_EXPIRED).description()));
			}
		}
		return null;
	}

	boolean isValid() {
		return this.lost == null && this.localGrant.isValid();
	}

	/**
	 * Returns whether leaving is expected to take little of a thread's stack.
	 * @return false if it is not known
	 */
	boolean isLeftAtOnce() {
		return this.behind == null && this.localGrant.isBackAtOnce();
	}

	/**
	 * Adds this hold to a few others.
	 * @param others the others
	 * @return all of them, this one last
	 */
	List<Hold> addedTo(List<Hold> others) {
		if (others.isEmpty()) {
			return this.alone;
		}
		Hold[] all = others.toArray(new Hold[others.size() + 1]);
		all[others.size()] = this;
		return List.of(all);
	}

	/**
	 * Enters once more.
	 * @param asked in which mode
	 * @return false if the last handle has left already, or the mode is not READ, and all
	 * that have entered are
	 */
	boolean enter(LockMode asked) {
		long counts = this.uses;
		while (mayEnter(counts, asked)) {
			if (USES.compareAndSet(this, counts, counts + one(asked))) {
				return true;
			}
			counts = this.uses;
		}
		return false;
	}

	private static boolean mayEnter(long counts, LockMode asked) {
		return isEntered(counts) && (asked.isShared() || isWriting(counts));
	}

	/**
	 * Returns whether there are handles, be they all in mode READ.
	 * @return false if the last handle has left
	 */
	boolean isEntered() {
		return isEntered(this.uses);
	}

	/** A handle that was entered in mode WRITE goes on in mode READ. */
	void downgrade() {
		if (this.mode == LockMode.WRITE && !isWriting(USES.addAndGet(this, -WRITER))) {
			this.localGrant.downgrade();
		}
	}

	/**
	 * Leaves once.
	 * @param entered in which mode the handle goes
	 * @param mayLinger whether the grant may be kept for a moment, in case a caller comes
	 * back at once
	 * @return completes when the node is gone; at once if other handles remain
	 */
	CompletionStage<Void> exit(LockMode entered, boolean mayLinger) {
		if (!leaves(entered)) {
			return NOTHING;
		}
		this.holds.remove(this);
		CompletionStage<Void> awaited = this.behind;
		return (awaited != null) ? releaseBehind(awaited, List.of(this.localGrant))
				: this.localGrant.release(mayLinger);
	}

	private synchronized void stayFor(CompletionStage<Void> more) {
		this.behind = both(this.behind, more);
	}

	private static @Nullable CompletionStage<Void> both(@Nullable CompletionStage<Void> one,
			@Nullable CompletionStage<Void> other) {
		if (one == null || one == other) {
			return other;
		}
		return (other != null) ? one.thenCompose((nothing) -> other) : one;
	}

	private boolean leaves(LockMode entered) {
		long one = one(entered);
		long left = USES.addAndGet(this, -one);
		if (!isEntered(left)) {
			return true;
		}
		if (one >= WRITER && !isWriting(left)) {
			this.localGrant.downgrade();
		}
		return false;
	}

	/**
	 * Leaves several once each. Nobody is expected to come back.
	 * @param several of one owner
	 * @param entered in which mode the handle leaves each
	 * @param behind what the nodes are to stay for, which never fails; null for nothing
	 * @return completes when the nodes are gone of those that no other handle has
	 */
	static CompletionStage<Void> exitAll(List<Hold> several, IntFunction<LockMode> entered,
			@Nullable CompletionStage<Void> behind) {
		List<LocalGrant> ended = new ArrayList<>(several.size());
		CompletionStage<Void> awaited = behind;
		CompletionStage<Void> gone;
		try {
			for (int i = 0; i < several.size(); i++) {
				Hold hold = several.get(i);
				if (behind != null) {
					hold.stayFor(behind);
				}
				if (hold.leaves(entered.apply(i))) {
					ended.add(hold.localGrant);
					awaited = both(awaited, hold.behind);
					hold.holds.remove(hold);
				}
			}
		}
		finally {
			gone = (awaited != null) ? releaseBehind(awaited, ended) : LocalGrant.releaseAll(ended);
		}
		return gone;
	}

	// Nobody has them any more, however long their nodes stay
	private static CompletionStage<Void> releaseBehind(CompletionStage<Void> awaited, List<LocalGrant> ended) {
		CompletionStage<Void> gone = awaited.thenCompose((nothing) -> LocalGrant.releaseAll(ended));
		ended.forEach(LocalGrant::end);
		return gone;
	}

	/**
	 * Leaves once. Nobody is expected to come back.
	 * @param entered in which mode
	 * @return completes when the node is gone; at once if other handles remain
	 */
	CompletionStage<Void> exit(LockMode entered) {
		return exit(entered, false);
	}

	/**
	 * Leaves what was entered.
	 * @param entered holds of some keys of the request, in the same order
	 * @param request in which modes they were entered
	 */
	static void exit(List<Hold> entered, LockRequest request) {
		int next = 0;
		for (Hold hold : entered) {
			while (!request.keys().get(next).equals(hold.key())) {
				next++;
			}
			hold.exit(request.modes().get(next));
		}
	}

	void subscribe(HeldLock handle) {
		if (!FIRST.compareAndSet(this, null, handle)) {
			OTHERS.updateAndGet(this, (known) -> with(known, handle));
		}
		LostReason reason = this.lost;
		if (reason != null) {
			handle.lost(reason);
		}
	}

	void unsubscribe(HeldLock handle) {
		if (!FIRST.compareAndSet(this, handle, null)) {
			OTHERS.updateAndGet(this, (known) -> without(known, handle));
		}
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

	@Override
	public void lose(LostReason reason) {
		if (LOST.compareAndSet(this, null, reason)) {
			HeldLock known = this.first;
			if (known != null) {
				known.lost(reason);
			}
			for (HeldLock handle : this.others) {
				handle.lost(reason);
			}
		}
	}

	/**
	 * Gives the key up although handles remain; they have lost it.
	 * @param reason why
	 * @return completes when the node is gone
	 */
	CompletionStage<Void> giveUp(LostReason reason) {
		lose(reason);
		return this.localGrant.forfeit();
	}

	/**
	 * Gives the key up because the client is closed, so that nobody enters it again.
	 * @return completes when the node is gone
	 */
	CompletionStage<Void> close() {
		this.holds.remove(this);
		return giveUp(LostReason.CLIENT_CLOSED);
	}

}
