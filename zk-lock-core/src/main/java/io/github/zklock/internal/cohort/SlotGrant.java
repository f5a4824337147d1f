package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.concurrent.ThreadNames;
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
	 * I1: its listener is notified of a loss once, behind the grant: of the end of `take`
	 *     and the loss, what comes second reports the loss. One CAS on `ending` decides.
	 */

	private static final Object TAKEN = new Object();

	private final GrantSlot slot;

	private final GrantSlot.Idle found;

	private final Thread caller = Thread.currentThread();

	private final long heldSince;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final AtomicReference<@Nullable Object> ending = new AtomicReference<>();

	private @Nullable LocalContenderListener listener;

	SlotGrant(GrantSlot slot, GrantSlot.Idle found, long now) {
		this.slot = slot;
		this.found = found;
		this.heldSince = now;
	}

	@Override
	public boolean take(LocalContenderListener taker) {
		this.listener = taker;
		boolean taken = this.slot.take(this, this.found) && isGood();
		if (taken) {
			taker.granted(List.of(this));
			if (!this.ending.compareAndSet(null, TAKEN) && this.ending.get() instanceof LostReason reason) {
				taker.lost(key(), reason);
			}
		}
		return taken;
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

	@Override
	public CompletionStage<Void> forfeit() {
		this.slot.revoke(this);
		steps().execute(() -> {
			if (this.slot.isHeldBy(this)) {
				this.slot.host().forfeit().run();
			}
		});
		return leave(false);
	}

	@Override
	public void downgrade() {
		this.slot.revoke(this);
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
		return this.slot.wasLeftBy(this) ? this.gone : this.slot.kept();
	}

	private void bring(Runnable step) {
		if (StackProbe.isEnough()) {
			step.run();
		}
		else {
			this.slot.site().host().after(0, step);
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

	@Override
	public GrantSlot.State closed() {
		return new GrantSlot.Revoked(this);
	}

	@Override
	public SlotGrant holder() {
		return this;
	}

	@Override
	public Blocker asHolder() {
		return new Blocker(key(), "this process (thread " + ThreadNames.of(this.caller) + ")", true,
				Duration.ofNanos(this.slot.site().now() - this.heldSince));
	}

	@Override
	public void lost(LostReason reason) {
		LocalContenderListener taker = this.listener;
		if (!this.ending.compareAndSet(null, reason) && taker != null) {
			taker.lost(key(), reason);
		}
	}

	@Override
	public void goneWith(CompletionStage<Void> node) {
		node.whenComplete((nothing, failure) -> this.gone.complete(null));
	}

}
