package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.cohort.LocalContender;
import io.github.zklock.internal.cohort.LocalContenderListener;
import io.github.zklock.internal.cohort.OfferedGrant;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * Brings acquisitions to the cohorts of their keys: to a grant that nobody wants, which
 * is taken at once, or to the queue.
 *
 * @param cohorts takes the local contenders
 * @param slowWaits warns of those who wait for long
 * @param shares bounds how many keys are held at a time
 * @param later runs a step of the engine on a thread of its own
 */
record CohortAccess(Cohorts cohorts, SlowWaitWarnings slowWaits, Shares shares, Executor later) {

	/**
	 * Looks for a grant that a request may take at once, without a share of anything.
	 * There is stack enough for what follows.
	 * @param asked the request
	 * @return the grant, or null
	 * @throws StackOverflowError if the thread's stack is near its end
	 */
	@Nullable OfferedGrant offered(ResolvedRequest asked) {
		StackProbe.requireMoreThanLeast();
		List<String> keys = asked.request().keys();
		OfferedGrant offered = (keys.size() > 1 || asked.request().permits().get(0) > 0 || this.shares.isBounded(keys))
				? null : this.cohorts.slots().offered(keys.get(0), asked.request().mode(), asked.strategy());
		if (offered != null && offered.passesOthers() && asked.deadline().isZero()) {
			offered = null;
		}
		if (offered == null) {
			StackProbe.require();
		}
		return offered;
	}

	/**
	 * Takes what was offered.
	 * @param acquisition the acquisition
	 * @param offered what was offered, or null
	 * @return whether the acquisition is decided
	 */
	boolean take(Acquisition acquisition, @Nullable OfferedGrant offered) {
		if (offered == null) {
			return false;
		}
		try {
			boolean taken = offered.take(acquisition);
			if (!taken) {
				// To enter needs more stack than was looked for
				StackProbe.require();
			}
			return taken;
		}
		catch (Throwable ex) {
			acquisition.fail(acquisition.asked().engineFailed(ex));
			return true;
		}
	}

	/**
	 * Enters a local contender, or what the owner holds already.
	 * @param acquisition the acquisition
	 * @param admit lets it enter a local contender, if it may; what it is given completes
	 * when that one has left, if it is of no use
	 */
	void enter(Acquisition acquisition, BiConsumer<? super Acquisition, Supplier<CompletionStage<Void>>> admit) {
		LockAttempt attempt = acquisition.attempt();
		if (attempt == null) {
			acquisition.reenter();
		}
		else {
			admit.accept(acquisition, () -> enter(acquisition, attempt));
		}
	}

	private CompletionStage<Void> enter(Acquisition acquisition, LockAttempt attempt) {
		try {
			ResolvedRequest asked = acquisition.asked();
			CompletionStage<Void> left = acquisition.entered(this.shares.isBounded(attempt.keys())
					? enterBounded(acquisition, attempt) : this.cohorts.enter(attempt, asked.strategy(), acquisition));
			this.slowWaits.watch(acquisition, attempt);
			return left;
		}
		catch (Throwable ex) {
			acquisition.fail(acquisition.asked().engineFailed(ex));
			return CompletableFuture.completedStage(null);
		}
	}

	private LocalContender enterBounded(Acquisition acquisition, LockAttempt attempt) {
		BoundedContender contender = new BoundedContender(attempt, acquisition.asked().owner(), acquisition,
				this.shares, (listener) -> enterBehind(attempt, acquisition.asked().strategy(), listener), this.later);
		contender.begin();
		return contender;
	}

	// Who has a share of the key waits without a sleep that the cohort knows, so nobody
	// is passed here
	private @Nullable LocalContender enterBehind(LockAttempt attempt, LockStrategy strategy,
			LocalContenderListener listener) {
		OfferedGrant idle = (attempt.keys().size() > 1 || attempt.permits().get(0) > 0) ? null
				: this.cohorts.slots().offered(attempt.keys().get(0), attempt.mode(), strategy);
		return (idle != null && idle.take(listener)) ? null : this.cohorts.enter(attempt, strategy, listener);
	}

}
