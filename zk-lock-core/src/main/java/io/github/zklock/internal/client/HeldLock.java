package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.concurrent.Timer;

/**
 * A handle: one acquisition of one or several holds.
 */
final class HeldLock implements LockHandle {

	/*-
	 * HELD -> LOST -> LOST_AND_RELEASED, or HELD -> RELEASED, each by one CAS on `state`. Any
	 * thread releases; holds report their loss on engine threads.
	 *
	 * I1: it is released once, and lost at most once and only before its release.
	 * I2: an action is run at most once and only if it was lost: the thread that takes it
	 *     from the queue after that runs it; `onLost` looks at `state` after it has added,
	 *     `lost` empties the queue after it has changed it. In the same way `releaseAsync` makes
	 *     `gone` and then looks at `left`, and a release sets `left` and then looks at `gone`.
	 * I3: listeners are notified of the loss before the release, which is reported after a loss that is under way; and of the
	 *     release before the grant of the next holder, which comes by `leave`.
	 * I4: near the end of a thread's stack a release changes nothing: the timer's thread does it then.
	 * I5: it is made READ once, and only before its release: both take `use` from AS_ASKED, and so
	 *     the release knows in which mode it leaves its holds.
	 * I6: what reports waiters ends with the handle: `onContended` looks at `state` after it has
	 *     added its end, a loss and a release empty the queue of ends after they have changed it.
	 */

	private enum State {

		HELD, LOST, LOST_AND_RELEASED, RELEASED

	}

	private enum Use {

		AS_ASKED, READING, RELEASED, READING_RELEASED

	}

	private static final Logger log = LoggerFactory.getLogger(HeldLock.class);

	private static final AtomicReferenceFieldUpdater<HeldLock, State> STATE = AtomicReferenceFieldUpdater
		.newUpdater(HeldLock.class, State.class, "state");

	private static final AtomicReferenceFieldUpdater<HeldLock, Use> USE = AtomicReferenceFieldUpdater
		.newUpdater(HeldLock.class, Use.class, "use");

	private final LockRequest request;

	private final @Nullable Call call;

	// Gone through by their numbers: each lock would cost an iterator or two
	private final List<Hold> holds;

	private final ListenerDispatcher dispatcher;

	private final Contentions contentions;

	private final long heldSince;

	private volatile State state = State.HELD;

	private volatile Use use = Use.AS_ASKED;

	private volatile boolean kept;

	private volatile @Nullable CompletionStage<Void> left;

	private volatile @Nullable CompletableFuture<Void> gone;

	private volatile @Nullable Queue<Runnable> lostActions;

	private volatile @Nullable Queue<Runnable> contentionEnds;

	private volatile Future<?> maxHoldTimer = Timer.NOTHING;

	private volatile @Nullable Timer timer;

	private volatile @Nullable Function<Boolean, CompletionStage<Void>> end;

	HeldLock(@Nullable Call call, LockRequest request, List<Hold> holds, ListenerDispatcher dispatcher,
			Contentions contentions) {
		this.call = call;
		this.request = request;
		this.holds = List.copyOf(holds);
		this.dispatcher = dispatcher;
		this.contentions = contentions;
		this.heldSince = dispatcher.hasListeners() ? dispatcher.now() : 0;
	}

	Object owner() {
		return this.holds.get(0).owner();
	}

	/**
	 * Sets what is done when it is released, before its nodes go.
	 * @param work gets whether it was held until then, and completes; null for nothing
	 */
	void endWith(@Nullable Function<Boolean, CompletionStage<Void>> work) {
		this.end = work;
	}

	// Nobody has it yet
	void limit(Timer timer) {
		Duration maxHold = this.request.maxHold();
		if (maxHold != null) {
			this.maxHoldTimer = timer.after(maxHold, this::outstay);
		}
	}

	/**
	 * Begins to listen to its holds. It may be in use, or released, already.
	 * @param timer releases it where a thread cannot
	 */
	void start(Timer timer) {
		this.timer = timer;
		for (int i = 0; i < this.holds.size(); i++) {
			this.holds.get(i).subscribe(this);
			if (isReleased()) {
				this.holds.get(i).unsubscribe(this);
			}
		}
	}

	private boolean isReleased() {
		return this.state == State.RELEASED || this.state == State.LOST_AND_RELEASED;
	}

	private void outstay() {
		if (!isReleased()) {
			this.holds.forEach((hold) -> hold.giveUp(LostReason.MAX_HOLD));
		}
	}

	@Override
	public String key() {
		return this.request.keys().get(0);
	}

	@Override
	public List<String> keys() {
		return this.request.keys();
	}

	@Override
	public LockMode mode() {
		return now(this.request.mode());
	}

	@Override
	public LockMode mode(String key) {
		return now(this.request.modes().get(indexOf(key)));
	}

	private LockMode now(LockMode asked) {
		Use now = this.use;
		return (now == Use.READING || now == Use.READING_RELEASED) ? LockMode.READ : asked;
	}

	private int indexOf(String key) {
		int index = keys().indexOf(key);
		if (index < 0) {
			throw new IllegalArgumentException("This handle is for " + keys() + ", not for '" + key + "'");
		}
		return index;
	}

	@Override
	public long fencingToken() {
		return this.holds.get(0).token();
	}

	@Override
	public long fencingToken(String key) {
		return this.holds.get(indexOf(key)).token();
	}

	@Override
	public boolean isHeld() {
		for (int i = 0; i < this.holds.size(); i++) {
			if (!this.holds.get(i).isValid()) {
				return false;
			}
		}
		return this.state == State.HELD;
	}

	@Override
	public void onLost(Runnable action) {
		Objects.requireNonNull(action);
		lostActions().add(() -> this.dispatcher.callbacks().execute(() -> run(action)));
		State now = this.state;
		if (now != State.HELD && now != State.RELEASED) {
			this.dispatcher.failures().containAll(this, this.lostActions);
		}
	}

	@Override
	public void onContended(Consumer<? super WaitingCaller> action) {
		contentionEnds().add(this.contentions.report(this, Objects.requireNonNull(action)));
		if (this.state != State.HELD) {
			this.dispatcher.failures().containAll(this, this.contentionEnds);
		}
	}

	private synchronized Queue<Runnable> contentionEnds() {
		if (this.contentionEnds == null) {
			this.contentionEnds = new ConcurrentLinkedQueue<>();
		}
		return this.contentionEnds;
	}

	private synchronized Queue<Runnable> lostActions() {
		if (this.lostActions == null) {
			this.lostActions = new ConcurrentLinkedQueue<>();
		}
		return this.lostActions;
	}

	@Override
	public void ended() {
		this.kept = this.kept || isHeld();
	}

	void lost(LostReason reason) {
		this.dispatcher.report(() -> {
			if (this.call != null && this.call.isAbandoned(this)) {
				release(false);
			}
			else if (STATE.compareAndSet(this, State.HELD, State.LOST)) {
				if (!this.kept) {
					this.dispatcher.failures().contain(this, () -> {
						if (this.dispatcher.hasListeners()) {
							this.dispatcher.lost(event(), reason);
						}
						log.warn("A hold of {} was lost: {}", LockException.named(keys()), reason.description());
					});
				}
				this.dispatcher.failures().containAll(this, this.lostActions);
				this.dispatcher.failures().containAll(this, this.contentionEnds);
			}
		});
	}

	private void run(Runnable lostAction) {
		try {
			lostAction.run();
		}
		catch (Throwable ex) {
			log.error("An onLost action of {} failed", LockException.named(keys()), ex);
		}
	}

	@Override
	public void downgrade() {
		if (isReleased()) {
			return;
		}
		int exclusive = this.request.modes().indexOf(LockMode.EXCLUSIVE);
		if (exclusive >= 0) {
			throw new IllegalStateException(
					"Lock '%s' is held in mode EXCLUSIVE, which cannot become READ; acquire it in mode WRITE"
						.formatted(keys().get(exclusive)));
		}
		StackProbe.require();
		if (USE.compareAndSet(this, Use.AS_ASKED, Use.READING)) {
			for (int i = 0; i < this.holds.size(); i++) {
				if (this.request.modes().get(i) == LockMode.WRITE) {
					this.holds.get(i).downgrade();
				}
			}
		}
	}

	@Override
	public void release() {
		release(true);
	}

	void release(boolean mayLinger) {
		Timer elsewhere = this.timer;
		if (elsewhere == null || hasStack()) {
			releaseHere(mayLinger);
		}
		else {
			StackProbe.requireLittle();
			elsewhere.later(0, () -> releaseHere(mayLinger));
		}
	}

	private boolean hasStack() {
		if (this.holds.size() > 1 || this.end != null || !this.holds.get(0).isLeftAtOnce()) {
			return StackProbe.isEnough();
		}
		StackProbe.requireLeast();
		return true;
	}

	private void releaseHere(boolean mayLinger) {
		Function<Boolean, CompletionStage<Void>> work = this.end;
		boolean held = work != null && isHeld();
		if (STATE.compareAndSet(this, State.HELD, State.RELEASED)
				|| STATE.compareAndSet(this, State.LOST, State.LOST_AND_RELEASED)) {
			this.dispatcher.failures().containAll(this, this.contentionEnds);
			this.maxHoldTimer.cancel(false);
			try {
				if (this.dispatcher.hasListeners()) {
					this.dispatcher.released(event());
				}
			}
			finally {
				this.left = leave(mayLinger, (work != null) ? work.apply(held) : null);
				connect(this.left, this.gone);
			}
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the stages of a release never fail
	private static void connect(@Nullable CompletionStage<Void> from, @Nullable CompletableFuture<Void> to) {
		if (from != null && to != null) {
			from.whenComplete((nothing, failure) -> to.complete(null));
		}
	}

	private CompletionStage<Void> leave(boolean mayLinger, @Nullable CompletionStage<Void> behind) {
		for (int i = 0; i < this.holds.size(); i++) {
			this.holds.get(i).unsubscribe(this);
		}
		boolean asAsked = USE.compareAndSet(this, Use.AS_ASKED, Use.RELEASED)
				|| !USE.compareAndSet(this, Use.READING, Use.READING_RELEASED);
		List<LockMode> modes = this.request.modes();
		return (this.holds.size() == 1 && behind == null)
				? this.holds.get(0).exit(asAsked ? modes.get(0) : LockMode.READ, mayLinger)
				: Hold.exitAll(this.holds, (i) -> asAsked ? modes.get(i) : LockMode.READ, behind);
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		release(false);
		CompletableFuture<Void> awaited = gone();
		connect(this.left, awaited);
		return this.dispatcher.onCallbacks(awaited);
	}

	private synchronized CompletableFuture<Void> gone() {
		if (this.gone == null) {
			this.gone = new CompletableFuture<>();
		}
		return this.gone;
	}

	private LockListener.Event event() {
		LockListener.Event acquired = Objects.requireNonNull(this.call, "There is no event for nobody").event();
		return new LockListener.Event(acquired.id(), keys(), acquired.template(), acquired.mode(), acquired.strategy(),
				acquired.way(), Duration.ofNanos(this.dispatcher.now() - this.heldSince));
	}

	@Override
	public String toString() {
		return "LockHandle[keys=" + keys() + ", mode=" + mode() + ", fencingToken=" + fencingToken() + ", held="
				+ isHeld() + "]";
	}

	/** The call that acquired it. */
	interface Call {

		LockListener.Event event();

		boolean isAbandoned(HeldLock made);

	}

}
