package io.github.zklock.memory;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;

/**
 * One contender in the queues of its keys.
 */
final class MemoryContender implements Contender {

	/*-
	 * NEW -> WAITING -> HOLDING -> GONE in steps of the queues; any state -> GONE.
	 *
	 * I1: after the first call of `leave` the listener is not called, except for a call that is
	 *     under way: each call looks at `leaving` first.
	 */

	private enum State {

		NEW, WAITING, HOLDING, GONE

	}

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final Map<String, MemoryGrant> grants = new LinkedHashMap<>();

	private final KeyQueues queues;

	private final LongSupplier clock;

	private final LockAttempt attempt;

	private final ContenderListener listener;

	private final OwnedSteps steps;

	private final long since;

	private volatile boolean leaving;

	private volatile long number;

	private State state = State.NEW;

	private @Nullable MemoryGrant blocker;

	private boolean blockerHeld;

	MemoryContender(KeyQueues queues, ClientIdentity identity, StepFailures failures, LongSupplier clock,
			LockAttempt attempt, ContenderListener listener) {
		this.queues = queues;
		this.clock = clock;
		this.attempt = attempt;
		this.listener = listener;
		this.since = clock.getAsLong();
		this.steps = new OwnedSteps(queues::execute, failures, this, this::fail);
		for (int i = 0; i < attempt.keys().size(); i++) {
			LockMode mode = attempt.modes().get(i);
			int permits = attempt.permits().get(i);
			byte[] content = identity.describe(identity.nextId(), mode, permits, attempt.caller(), false, 0);
			this.grants.put(attempt.keys().get(i),
					new MemoryGrant(this, attempt.keys().get(i), mode, permits, content));
		}
	}

	KeyQueues queues() {
		return this.queues;
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	long number() {
		return this.number;
	}

	MemoryGrant grantOf(String key) {
		return Objects.requireNonNull(this.grants.get(key));
	}

	boolean isWaiting() {
		return this.state == State.WAITING;
	}

	boolean isHolding() {
		return this.state == State.HOLDING;
	}

	boolean sharesWith(MemoryContender other, String key) {
		return grantOf(key).mode().isShared() && other.grantOf(key).mode().isShared();
	}

	/** Joins the queues, from whatever thread. */
	void start() {
		this.steps.execute(() -> {
			if (!this.leaving) {
				this.queues.enter(this);
			}
		});
	}

	// From here on as parts of steps

	void joined(long entry) {
		this.number = entry;
		this.state = State.WAITING;
	}

	void refuse(MemoryGrant by) {
		this.state = State.GONE;
		report(() -> this.listener.busy(by.asBlockerOf(this)));
	}

	void block(MemoryGrant by) {
		boolean holds = by.isHolding();
		if (by != this.blocker || holds != this.blockerHeld) {
			this.blocker = by;
			this.blockerHeld = holds;
			report(() -> this.listener.blocked(by.asBlockerOf(this)));
		}
	}

	void grant() {
		this.state = State.HOLDING;
		this.blocker = null;
		report(() -> this.listener.granted(List.copyOf(this.grants.values())));
	}

	void lost(MemoryGrant grant) {
		report(() -> this.listener.lost(grant, LostReason.NODE_DELETED));
	}

	private void report(Runnable call) {
		if (!this.leaving) {
			this.steps.inside(call);
		}
	}

	// The end of a step of this contender that threw something
	private void fail(Throwable failure) {
		boolean held = this.state == State.HOLDING;
		this.state = State.GONE;
		this.grants.values().forEach(MemoryGrant::end);
		this.queues.execute(this::end);
		if (!this.leaving) {
			if (held) {
				this.grants.values().forEach((grant) -> this.listener.lost(grant, LostReason.ENGINE_FAILED));
			}
			else {
				this.listener.failed(LockException.engineFailed(this.attempt.keys(), failure));
			}
		}
	}

	private void end() {
		this.state = State.GONE;
		this.grants.values().forEach(MemoryGrant::end);
		this.queues.leave(this, this.attempt.keys());
		if (this.leaving) {
			this.gone.complete(null);
		}
	}

	Duration age() {
		return Duration.ofNanos(this.clock.getAsLong() - this.since);
	}

	@Override
	public CompletionStage<Void> leave() {
		this.leaving = true;
		this.grants.values().forEach(MemoryGrant::end);
		this.steps.execute(this::end);
		return this.gone;
	}

}
