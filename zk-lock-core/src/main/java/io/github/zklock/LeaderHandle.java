package io.github.zklock;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The handle of some work of a leader: a share of the leader's lock. The actions for a
 * loss are kept here, because the lock outlives the work by far.
 */
final class LeaderHandle extends DelegatingLockHandle {

	private enum State {

		HELD, LEAVING, RELEASED, LOST_AND_RELEASED

	}

	private final LeaderTerm term;

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	private final Queue<Runnable> lostActions = new ConcurrentLinkedQueue<>();

	LeaderHandle(LeaderTerm term) {
		super(term.lock());
		this.term = term;
	}

	// In which of the two modes that exclude all the election asks is its own affair
	@Override
	public LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	@Override
	public LockMode mode(String key) {
		delegate().mode(key);
		return mode();
	}

	@Override
	public boolean isHeld() {
		return this.state.get() == State.HELD && this.term.isHeld();
	}

	@Override
	public void onLost(Runnable action) {
		this.lostActions.add(action);
		if (this.state.get() != State.HELD || this.term.isLost()) {
			runLostActions();
		}
	}

	/**
	 * Runs the actions for the loss, or forgets them if this was released before. A lock
	 * that is lost runs an action at once, where its client runs such; one whose loss is
	 * still to be reported runs it then, unless this was its last share.
	 */
	void runLostActions() {
		if (this.state.get() == State.LEAVING) {
			return; // The thread that leaves does it
		}
		if (this.state.get() == State.RELEASED) {
			this.lostActions.clear();
			return;
		}
		for (Runnable action = this.lostActions.poll(); action != null; action = this.lostActions.poll()) {
			delegate().onLost(action);
		}
	}

	// What concerns the lock is the election's: other work has it, too, and it goes on
	@Override
	public void onContended(Consumer<? super WaitingCaller> action) {
		throw new UnsupportedOperationException("This handle of " + keys() + " does not know who waits");
	}

	@Override
	public void downgrade() {
		throw new UnsupportedOperationException("This handle of " + keys() + " cannot be downgraded");
	}

	@Override
	public void failed(Throwable cause) {
		// The term has not failed
	}

	@Override
	public void ended() {
		// The term has not ended
	}

	@Override
	public void release() {
		// As long as this is not released the term goes on, unless it is lost
		boolean lost = this.term.isLost() || !this.term.isHeld();
		if (this.state.compareAndSet(State.HELD, State.LEAVING)) {
			State next = State.HELD;
			try {
				this.term.exit();
				next = lost ? State.LOST_AND_RELEASED : State.RELEASED;
			}
			finally {
				this.state.set(next);
				if (next != State.HELD || this.term.isLost()) {
					runLostActions();
				}
			}
			this.term.remove(this);
		}
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		release();
		return this.term.isReleased() ? this.term.gone() : CompletableFuture.completedFuture(null);
	}

	@Override
	public String toString() {
		return "LockHandle[keys=" + keys() + ", fencingToken=" + fencingToken() + ", held=" + isHeld() + "]";
	}

}
