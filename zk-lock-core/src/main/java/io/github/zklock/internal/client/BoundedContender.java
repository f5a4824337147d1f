package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.cohort.EndingGrant;
import io.github.zklock.internal.cohort.LocalContender;
import io.github.zklock.internal.cohort.LocalContenderListener;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

/**
 * A local contender that takes the shares for its keys first. It has no node, and is in
 * no queue but that of the shares, until it has them.
 */
final class BoundedContender implements LocalContender, LocalContenderListener {

	/*-
	 * WAITING -> ENTERING -> ENTERED, or WAITING -> LEFT. Who may race: the thread that makes
	 * room (it brings the step to `later`), the caller's deadline, interrupt or cancellation.
	 *
	 * I1: who has left does not enter any more, and who leaves while it enters leaves the
	 *     contender behind this one as soon as that is there.
	 * I2: the shares come back when the caller is not granted, and each with the end of its
	 *     grant: release, loss, or giving up.
	 */

	private enum Step {

		WAITING, ENTERING, ENTERED, LEFT

	}

	private final AtomicReference<Step> step = new AtomicReference<>(Step.WAITING);

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final LockAttempt attempt;

	private final LocalContenderListener caller;

	private final Shares.Claim claim;

	private final Function<LocalContenderListener, @Nullable LocalContender> entering;

	private final Executor later;

	private volatile boolean leaving;

	private volatile @Nullable LocalContender behind;

	/**
	 * Creates a contender that wants nothing yet.
	 * @param attempt what is wanted
	 * @param owner who wants it
	 * @param caller is notified of what becomes of it
	 * @param shares has the shares
	 * @param entering enters the contender behind this one; null if what was wanted was
	 * granted without any
	 * @param later runs a step of the engine on a thread of its own
	 */
	BoundedContender(LockAttempt attempt, Object owner, LocalContenderListener caller, Shares shares,
			Function<LocalContenderListener, @Nullable LocalContender> entering, Executor later) {
		this.attempt = attempt;
		this.caller = caller;
		this.entering = entering;
		this.later = later;
		this.claim = shares.claim(owner, attempt.keys(), this::served);
	}

	/** Takes the shares and enters, or begins to wait for them. */
	void begin() {
		switch (this.claim.begin(this.attempt.tryOnce())) {
			case TAKEN -> enter();
			case BUSY -> this.caller.busy(bound());
			case REFUSED -> this.caller.failed(new LockUpgradeException(
					"Could not acquire %s: this instance may hold %s, and all of them are held by callers that wait for another one themselves; release one first, or ask for all at once"
						.formatted(this.attempt.named(), this.claim.inTheWay())));
			default -> {
				// It is served later, or has left
			}
		}
	}

	private void served() {
		try {
			this.later.execute(this::enter);
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private void enter() {
		if (this.step.compareAndSet(Step.WAITING, Step.ENTERING)) {
			try {
				this.behind = this.entering.apply(this);
			}
			catch (Throwable ex) {
				fail(ex);
			}
			finally {
				this.step.set(Step.ENTERED);
				leaveBehind();
			}
		}
	}

	private void fail(Throwable failure) {
		this.claim.leave();
		this.caller.failed(LockException.engineFailed(this.attempt.keys(), failure));
	}

	@Override
	public CompletionStage<Void> leave() {
		this.leaving = true;
		this.claim.leave();
		if (this.step.compareAndSet(Step.WAITING, Step.LEFT)) {
			this.gone.complete(null);
		}
		leaveBehind();
		return this.gone;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the stages of leaving never fail
	private void leaveBehind() {
		if (this.leaving && this.step.get() == Step.ENTERED) {
			LocalContender entered = this.behind;
			if (entered == null) {
				this.gone.complete(null);
			}
			else {
				entered.leave().whenComplete((nothing, failure) -> this.gone.complete(null));
			}
		}
	}

	@Override
	public @Nullable Blocker blocker() {
		LocalContender entered = this.behind;
		Blocker seen = (entered != null) ? entered.blocker() : null;
		return (seen == null && this.claim.inTheWay() != null && disturbance() == null) ? bound() : seen;
	}

	// Its client's own callers are in the way
	private Blocker bound() {
		return new Blocker(this.attempt.keys().get(0),
				"other callers of this process, which may hold " + this.claim.inTheWay(), false, null);
	}

	@Override
	public @Nullable Exception disturbance() {
		LocalContender entered = this.behind;
		return (entered != null) ? entered.disturbance() : null;
	}

	@Override
	public long remainingNanos() {
		return this.caller.remainingNanos();
	}

	@Override
	public boolean isDecided() {
		return this.caller.isDecided();
	}

	@Override
	public void granted(List<LocalGrant> localGrants) {
		this.caller.granted(localGrants.stream().map(this::bounded).toList());
	}

	private LocalGrant bounded(LocalGrant localGrant) {
		String key = localGrant.key();
		return this.claim.has(key) ? new EndingGrant(localGrant, () -> this.claim.giveBack(key)) : localGrant;
	}

	@Override
	public void busy(Blocker blocker) {
		this.claim.leave();
		this.caller.busy(blocker);
	}

	@Override
	public void failed(LockException cause) {
		this.claim.leave();
		this.caller.failed(cause);
	}

	@Override
	public void lost(String key, LostReason reason) {
		this.claim.giveBack(key);
		this.caller.lost(key, reason);
	}

}
