package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.concurrent.Threads;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;

/**
 * What a caller has of a grant that it found in a {@link GrantSlot}.
 */
final class SlotGrant implements OfferedGrant, LocalGrant, GrantHolder, GrantSlot.State {

	/*-
	 * It is the state of the slot while its caller has the grant. The caller takes it and gives
	 * it back on any thread; the cohort notices it as a holder when it closes the slot, and
	 * reports the loss from then on.
	 *
	 * A lock that is taken again and again costs one of these each time, so what few need of it
	 * is made when it is asked for.
	 */

	private final GrantSlot slot;

	private final GrantSlot.Idle found;

	private final Thread caller = Thread.currentThread();

	private final long heldSince;

	private @Nullable CompletableFuture<Void> gone;

	private @Nullable Taker taker;

	SlotGrant(GrantSlot slot, GrantSlot.Idle found, long now) {
		this.slot = slot;
		this.found = found;
		this.heldSince = now;
	}

	@Override
	public LocalGrant localGrant() {
		return this;
	}

	@Override
	public boolean passesOthers() {
		return this.slot.isPassing();
	}

	@Override
	public boolean take(Taker caller) {
		this.taker = caller;
		return this.slot.take(this, this.found) && isGood();
	}

	private boolean isGood() {
		boolean good = false;
		try {
			good = grant().isValid();
		}
		finally {
			if (!good) {
				leave(false);
			}
		}
		return good;
	}

	@Override
	public Grant grant() {
		return this.slot.grant();
	}

	@Override
	public String key() {
		return grant().key();
	}

	@Override
	public LockMode mode() {
		return grant().mode();
	}

	@Override
	public long token() {
		return grant().firstToken() + this.found.served();
	}

	@Override
	public int served() {
		return this.found.served() + 1;
	}

	@Override
	public boolean isHandedOff() {
		return this.found.served() > 0;
	}

	@Override
	public boolean isBackAtOnce() {
		return this.slot.isOpenWith(this);
	}

	@Override
	public boolean isValid() {
		return this.slot.isHeldBy(this) && grant().isValid();
	}

	@Override
	public CompletionStage<Void> release(boolean mayLinger) {
		return (mayLinger && this.slot.giveBack(this)) ? this.slot.kept() : leave(mayLinger);
	}

	// In the way of all until the grant is forfeited, so no step before hands it off
	@Override
	public CompletionStage<Void> forfeit() {
		this.slot.forfeit(this);
		bring(() -> steps().execute(() -> {
			if (this.slot.leaveForfeited(this)) {
				this.slot.host().forfeit().run();
				this.slot.host().back().accept(this, false);
			}
		}));
		return whenLeft();
	}

	@Override
	public void downgrade() {
		bring(() -> steps().execute(() -> {
			if (this.slot.isHeldBy(this)) {
				this.slot.host().downgrade().run();
			}
		}));
	}

	private CompletionStage<Void> leave(boolean mayLinger) {
		if (this.slot.leave(this)) {
			bring(() -> steps().execute(() -> this.slot.host().back().accept(this, mayLinger)));
		}
		return whenLeft();
	}

	private CompletionStage<Void> whenLeft() {
		return this.slot.wasLeftBy(this) ? gone() : this.slot.kept();
	}

	private void bring(Runnable step) {
		if (StackProbe.isEnough()) {
			step.run();
		}
		else {
			this.slot.site().common().after(0, step);
		}
	}

	private Executor steps() {
		return this.slot.site().orElse(this::leaveAnyway);
	}

	// The cohort has failed, so nobody else has a use for the grant.
	private void leaveAnyway(Throwable failure) {
		goneWith(this.slot.host().failed().apply(failure));
	}

	// --- a holder of the cohort's ---

	long heldSince() {
		return this.heldSince;
	}

	@Override
	public GrantSlot.State closed() {
		return new GrantSlot.Revoked(this, true);
	}

	@Override
	public SlotGrant holder() {
		return this;
	}

	@Override
	public Blocker asHolder() {
		return LocalContender.inTheWay(key(), Threads.name(this.caller), true, this.slot.site().now() - this.heldSince);
	}

	@Override
	public void lost(LostReason reason) {
		Taker notified = this.taker;
		if (notified != null) {
			notified.lose(reason);
		}
	}

	@Override
	public void goneWith(CompletionStage<Void> node) {
		CompletableFuture<Void> awaited = gone();
		node.whenComplete((nothing, failure) -> awaited.complete(null));
	}

	private synchronized CompletableFuture<Void> gone() {
		if (this.gone == null) {
			this.gone = new CompletableFuture<>();
		}
		return this.gone;
	}

}
