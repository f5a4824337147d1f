package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Unstartable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Callers of a client for whose timer the system has no thread.
 */
class LockAcquirerTests implements LockListener {

	private final List<String> notified = new ArrayList<>();

	private final StepFailures failures = new StepFailures();

	private final MemoryStrategy strategy = new MemoryStrategy(true);

	private final OpenAcquisitions open = new OpenAcquisitions(
			new ListenerDispatcher(List.of(this), Runnable::run, () -> 0, this.failures), Runnable::run,
			Unstartable.timer(this.failures), () -> "servers");

	private final LockAcquirer acquirer = new LockAcquirer(this::resolve, this.open,
			new Cohorts((nanos, step) -> () -> {
			}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, this.failures, 64), Runnable::run, Duration.ZERO,
			Duration.ZERO, () -> 0);

	@Test
	void aFutureWhoseDeadlineCannotBeTimedFailsAndNothingIsHeld() {
		MemoryStrategy others = new MemoryStrategy(false);
		LockAcquirer waiting = new LockAcquirer((request, owner) -> new ResolvedRequest(request, "memory", others,
				owner, Deadline.in(Duration.ofMinutes(1), () -> 0)), this.open, new Cohorts((nanos, step) -> () -> {
				}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, this.failures, 64), Runnable::run, Duration.ZERO,
				Duration.ZERO, () -> 0);
		CompletableFuture<LockHandle> future = waiting.acquireAsync(LockRequest.exclusive("key"));
		assertThat(future).isCompletedExceptionally();
		others.grantFirst();
		assertThat(others.length()).isZero();
		assertThat(this.open.count()).isZero();
		assertThat(this.notified).containsExactly("asked", "notAcquired");
	}

	@Test
	void whatCannotBeLimitedIsNotAcquired() {
		LockRequest request = LockRequest.exclusive("key").maxHold(Duration.ofMinutes(1));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.acquirer.acquire(request))
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThat(this.strategy.length()).isZero();
		assertThat(this.open.count()).isZero();
		assertThat(this.notified).containsExactly("asked", "notAcquired");
	}

	private ResolvedRequest resolve(LockRequest request, Object owner) {
		return new ResolvedRequest(request, "memory", this.strategy, owner,
				Deadline.in(Duration.ofMinutes(1), () -> 0));
	}

	@Override
	public void asked(Event event) {
		this.notified.add("asked");
	}

	@Override
	public void acquired(Event event) {
		this.notified.add("acquired");
	}

	@Override
	public void notAcquired(Event event, Throwable cause) {
		this.notified.add("notAcquired");
	}

	@Override
	public void released(Event event) {
		this.notified.add("released");
	}

}
