package io.github.zklock.internal.cohort;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The local callers of a key's permits, in their order, and the lanes on which they get
 * them.
 */
final class PermitCohort {

	/*-
	 * A lane is a cohort of its own, for one of the key's permits: it has a contender, and a grant that is handed
	 * off, retained, or lingers as that of a lock. There are at most as many lanes as permits. A caller takes a
	 * lane that is free, or waits for the next one that becomes free. All steps run in one serial executor, in
	 * which nothing waits for those of the lanes.
	 *
	 * I1: a lane is free, or one caller has it, who has not lost what it was granted. Only if no lane is free anybody
	 *     waits here, in the order in which they came.
	 * I2: the next caller enters a lane before the one who has it leaves. Both are steps of the lane's cohort, and
	 *     come in this order, so it hands its grant off.
	 * I3: the lane that became free last is taken first: its grant is the one that may still be there. One whose grant
	 *     is lost is taken last.
	 * I4: a step that throws anything ends the wait of all who wait here. Those who have a lane keep it.
	 * I5: those who wait in lanes came before those who wait here, and whichever of their lanes is granted first, the
	 *     one who came first has it, unless it has begun to leave. The one whose lane it was gets the lane in which the
	 *     other one has waited, so what this client has in ZooKeeper is the same. Who tries once has its own lane to the
	 *     end, because it would not wait in that one, and so has who asked for another strategy, which has no use for it.
	 * I6: all who wait, here or in lanes, and all who hold ask for one number of permits. The next caller may bring another
	 *     one as soon as nobody does, though the servers may not have answered those who have left. Their lanes are
	 *     free by then, and a lane lets go of what another number was granted before it enters for the new one, so the
	 *     delete is sent before the create. Lanes beyond a smaller number are left to themselves.
	 */

	/**
	 * Of so many lanes it is looked which of them still have a grant of callers before.
	 */
	private static final int FEW = 16;

	private final Host host;

	private final String key;

	private final OwnedSteps steps;

	private final Set<PermitCaller> waiting = new LinkedHashSet<>();

	private final Set<PermitCaller> waitingInLanes = new LinkedHashSet<>();

	// Read by others, too
	private final Set<PermitCaller> inLanes = ConcurrentHashMap.newKeySet();

	private final Deque<Integer> free = new ArrayDeque<>();

	private int permits;

	private int opened;

	private @Nullable Throwable failure;

	PermitCohort(Host host, String key, Executor serialExecutor) {
		this.host = host;
		this.key = key;
		this.steps = new OwnedSteps(serialExecutor, host.failures(), this, this::failed);
	}

	/**
	 * Enters a caller.
	 * @param attempt what it asks for
	 * @param strategy enters contenders
	 * @param listener is notified of what becomes of it, possibly before this returns
	 * @return the local contender
	 */
	LocalContender enter(LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		PermitCaller caller = new PermitCaller(this, attempt, strategy, listener);
		this.steps.orElse((cause) -> {
			failed(cause);
			caller.failUnlessEntered(engineFailed(cause));
		}).execute(() -> entered(caller));
		return caller;
	}

	private void entered(PermitCaller caller) {
		if (!caller.isWaiting()) {
			return;
		}
		int asked = caller.attempt().permits().get(0);
		if (asked != this.permits && this.inLanes.isEmpty() && this.waiting.isEmpty()) {
			changeTo(asked);
		}
		if (this.failure != null) {
			caller.failUnlessEntered(engineFailed(this.failure));
		}
		else if (asked != this.permits) {
			caller.failUnlessEntered(new LockException(
					"Could not acquire a permit of '%s': callers of this process hold or await it with %d permits, and this one asks for it with %d"
						.formatted(this.key, this.permits, asked)));
		}
		else {
			Integer lane = freeLane();
			if (lane != null) {
				take(caller, lane);
			}
			else if (caller.attempt().tryOnce()) {
				caller.refuse();
			}
			else {
				this.waiting.add(caller);
			}
		}
	}

	// Nobody has a lane, so all that are open are free
	private void changeTo(int asked) {
		this.permits = asked;
		this.free.removeIf((lane) -> lane >= asked);
		this.opened = Math.min(this.opened, asked);
		while (this.opened < Math.min(asked, FEW)) {
			int lane = this.opened++;
			if (this.host.isInUse(lane)) {
				this.free.addFirst(lane);
			}
			else {
				this.free.addLast(lane);
			}
		}
	}

	private @Nullable Integer freeLane() {
		Integer lane = this.free.pollFirst();
		return (lane == null && this.opened < this.permits) ? Integer.valueOf(this.opened++) : lane;
	}

	private void take(PermitCaller caller, int lane) {
		try {
			this.inLanes.add(caller);
			this.waitingInLanes.add(caller);
			caller.enter(new LaneContender(this, lane, caller));
		}
		catch (Throwable ex) {
			noLongerInLane(caller);
			this.host.failures().contain(this, () -> caller.failUnlessEntered(engineFailed(ex)));
			throw ex;
		}
	}

	private boolean noLongerInLane(PermitCaller caller) {
		this.waitingInLanes.remove(caller);
		return this.inLanes.remove(caller);
	}

	/**
	 * A lane is granted. As a step.
	 * @param granted who has entered it
	 * @param held what it holds
	 */
	void granted(LaneContender granted, LocalGrant held) {
		orFail(granted).execute(() -> {
			PermitCaller caller = granted.caller();
			if (!this.waitingInLanes.contains(caller)) {
				granted.grantedTooLate(held);
				return;
			}
			PermitCaller first = firstInsteadOf(caller);
			if (first != caller) {
				first.exchangeWith(caller);
			}
			this.waitingInLanes.remove(first);
			first.hold(held);
		});
	}

	private PermitCaller firstInsteadOf(PermitCaller caller) {
		for (PermitCaller first : this.waitingInLanes) {
			if (first.mayExchangeWith(caller)) {
				return first;
			}
		}
		return caller;
	}

	/**
	 * A lane can never be granted. As a step.
	 * @param entered who has entered it
	 * @param why why
	 */
	void failed(LaneContender entered, LockException why) {
		orFail(entered).execute(() -> {
			PermitCaller caller = entered.caller();
			if (this.waitingInLanes.contains(caller)) {
				noLongerInLane(caller);
				handOff(entered.lane(), this.free::addFirst);
				caller.failInLane(why);
			}
		});
	}

	// If a step fails, so does the one who waits in the lane that it is about
	private OwnedSteps orFail(LaneContender entered) {
		return this.steps.orElse((cause) -> {
			failed(cause);
			PermitCaller caller = entered.caller();
			if (caller.isInLane()) {
				noLongerInLane(caller);
				caller.failInLane(engineFailed(cause));
			}
		});
	}

	/**
	 * What a lane has granted is lost. As a step.
	 * @param entered who has entered it
	 * @param lostKey its key
	 * @param reason why
	 */
	void lost(LaneContender entered, String lostKey, LostReason reason) {
		this.steps.orElse((cause) -> {
			failed(cause);
			entered.reportLoss(lostKey, reason);
		}).execute(() -> {
			entered.reportLoss(lostKey, reason);
			PermitCaller loser = entered.caller();
			// To one that waits here the lane failed to say that it is granted, so that
			// one fails next
			if (!loser.isInLane() && noLongerInLane(loser)) {
				loser.holdsNoMore();
				handOff(entered.lane(), this.free::addLast);
			}
		});
	}

	/**
	 * A caller has enough. As a step.
	 * @param caller the caller, who may wait here, or have a lane
	 * @param leaving leaves the lane
	 */
	void leave(PermitCaller caller, Supplier<CompletionStage<Void>> leaving) {
		this.steps.orElse((cause) -> {
			failed(cause);
			noLongerInLane(caller);
			caller.leaveAnyway(leaving);
		}).execute(() -> {
			if (this.waiting.remove(caller)) {
				caller.left();
			}
			else if (noLongerInLane(caller)) {
				LaneContender left = caller.inLane();
				if (left != null) {
					handOff(left.lane(), this.free::addFirst);
				}
				caller.leaveLane(leaving);
			}
			else {
				caller.leaveWithoutLane(leaving);
			}
		});
	}

	private void handOff(int lane, Consumer<Integer> freeing) {
		if (this.waiting.isEmpty()) {
			freeing.accept(lane);
		}
		else {
			PermitCaller next = this.waiting.iterator().next();
			this.waiting.remove(next);
			take(next, lane);
		}
	}

	void over() {
		this.host.over();
	}

	long now() {
		return this.host.now();
	}

	LocalContender enter(int lane, PermitCaller caller, LaneContender entering) {
		return this.host.enter(lane, caller.attempt(), caller.strategy(), entering);
	}

	/**
	 * Returns who is in the way of those who wait for a lane. Asked from any thread.
	 * @return one who has a lane and holds; if nobody does, who is in the way of one who
	 * has a lane; or null
	 */
	@Nullable Blocker blocker() {
		Blocker seen = null;
		for (PermitCaller caller : this.inLanes) {
			Blocker holder = caller.asHolder();
			if (holder != null) {
				return holder;
			}
			seen = (seen != null) ? seen : caller.blockerInLane();
		}
		return seen;
	}

	/**
	 * Returns what disturbs those who have a lane. Asked from any thread.
	 * @return the last unusable answer of one of them, or null
	 */
	@Nullable Exception disturbance() {
		for (PermitCaller caller : this.inLanes) {
			Exception disturbance = caller.disturbanceInLane();
			if (disturbance != null) {
				return disturbance;
			}
		}
		return null;
	}

	private void failed(Throwable cause) {
		if (this.failure == null) {
			this.failure = cause;
			this.host.failed();
		}
		List<PermitCaller> callers = List.copyOf(this.waiting);
		this.waiting.clear();
		callers.forEach(
				(caller) -> this.host.failures().contain(this, () -> caller.failUnlessEntered(engineFailed(cause))));
	}

	private LockException engineFailed(Throwable cause) {
		return LockException.engineFailed(List.of(this.key), cause);
	}

	@Override
	public String toString() {
		return "permits of '" + this.key + "'";
	}

	/** The client's cohorts. */
	interface Host {

		/**
		 * Enters a local contender in a lane.
		 * @param lane the number of the lane
		 * @param attempt what is asked for
		 * @param strategy enters contenders
		 * @param listener is notified of what becomes of it
		 * @return the local contender
		 */
		LocalContender enter(int lane, LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener);

		/**
		 * Returns whether a lane has callers, a grant, or something to be deleted.
		 * @param lane the number of the lane
		 * @return whether its cohort is there
		 */
		boolean isInUse(int lane);

		/** A caller has left, and has nothing left in ZooKeeper. */
		void over();

		/** Callers who come later find another permit cohort. */
		void failed();

		long now();

		StepFailures failures();

	}

}
