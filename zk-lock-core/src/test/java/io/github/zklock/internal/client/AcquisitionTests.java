package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An acquisition that is decided before it has entered, or that fails when it is granted.
 */
class AcquisitionTests {

	private final MemoryStrategy strategy = new MemoryStrategy(false);

	private final Cohorts cohorts = new Cohorts((nanos, step) -> () -> {
	}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, new StepFailures(), 1);

	private final Acquisition.Host client = Engines.host(Engines.client(this.strategy, new LockListener() {
	}));

	@Test
	void i2WhatWasGivenUpBeforeItEnteredLeaves() {
		Acquisition acquisition = acquisition(this.client);
		acquisition.fail(new CancellationException());
		enter(acquisition);
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void i3WhatWasGrantedIsReleasedIfTheHandleCannotBeMade(boolean hold) {
		Acquisition acquisition = acquisition(new FailingHost(this.client, hold));
		enter(acquisition);
		this.strategy.grantFirst();
		assertThat(acquisition.outcome()).failsWithin(Duration.ofSeconds(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockException.class)
			.withRootCauseInstanceOf(NoClassDefFoundError.class);
		assertNothingIsLeft();
	}

	@Test
	void i3WhatWasGrantedIsReleasedAlthoughThatCannotBeReported() {
		Acquisition acquisition = acquisition(new FailingHost(this.client, true) {

			@Override
			public void failed(Acquisition failed, Throwable cause) {
				throw new OutOfMemoryError("planted");
			}

		});
		enter(acquisition);
		this.strategy.grantFirst();
		assertThat(acquisition.outcome()).isCompletedExceptionally();
		assertNothingIsLeft();
	}

	@Test
	void whatIsGrantedWhenTheClientIsClosedIsReleased() {
		Acquisition acquisition = acquisition(new PlainHost(this.client) {

			@Override
			public boolean isClosed() {
				return true;
			}

		});
		enter(acquisition);
		this.strategy.grantFirst();
		assertThat(acquisition.outcome()).failsWithin(Duration.ofSeconds(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("the lock client is closed");
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whoEnteredWhatIsLostDoesNotLearnThatTheRestIsBusy(boolean busy) {
		Hold lost = new Hold(new Holds(new StepFailures()), "owner", new MemoryLocalGrant(LockMode.EXCLUSIVE));
		Acquisition acquisition = acquisition(this.client, LockRequest.keys(List.of("key", "other")), List.of(lost));
		enter(acquisition);
		lost.lose(LostReason.SESSION_ENDED);
		if (busy) {
			acquisition.busy(new Blocker("other", "somebody", true, null));
		}
		else {
			acquisition.expire();
		}
		assertThat(acquisition.outcome()).failsWithin(Duration.ofSeconds(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
		assertNothingIsLeft();
	}

	@Test
	@Tag("Acquisition.I2")
	void theCallerIsAnsweredWhateverFails() {
		Acquisition acquisition = acquisition(this.client, LockRequest.keys(List.of("key", "other")),
				List.of(new Hold(new Holds(new StepFailures()), "owner", new MemoryLocalGrant(LockMode.EXCLUSIVE) {

					@Override
					public CompletionStage<Void> release(boolean mayLinger) {
						throw new OutOfMemoryError("planted");
					}

				})));
		enter(acquisition);
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> acquisition.fail(new CancellationException()));
		assertThat(acquisition.outcome()).isCompletedExceptionally();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatIsDecidedIsWaitedForByNoTimer(boolean granted) {
		TimingHost host = new TimingHost(this.client);
		Acquisition acquisition = timed(host);
		decide(acquisition, granted);
		assertThat(host.timers).hasSize(2).allMatch(Future::isCancelled);
		Acquisition meanwhile = acquisition(host);
		host.whenTimed = () -> decide(meanwhile, granted);
		meanwhile.expireOnTime();
		Acquisition soon = acquisition(host);
		host.whenTimed = () -> decide(soon, granted);
		soon.warnIfSlow(1, () -> {
		});
		assertThat(host.timers).hasSize(4).allMatch(Future::isCancelled);
	}

	private Acquisition timed(Acquisition.Host host) {
		Acquisition acquisition = acquisition(host);
		acquisition.expireOnTime();
		acquisition.warnIfSlow(1, () -> {
		});
		return acquisition;
	}

	private static void decide(Acquisition acquisition, boolean granted) {
		if (granted) {
			acquisition.granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE)));
		}
		else {
			acquisition.fail(new CancellationException());
		}
	}

	private Acquisition acquisition(Acquisition.Host host) {
		return acquisition(host, LockRequest.exclusive("key"), List.of());
	}

	private Acquisition acquisition(Acquisition.Host host, LockRequest request, List<Hold> reentered) {
		return new Acquisition(host, new ResolvedRequest(request.owner("owner"), "memory", this.strategy, "owner",
				Deadline.in(Duration.ofMinutes(1), null, () -> 0)), reentered, (made) -> false);
	}

	private void enter(Acquisition acquisition) {
		acquisition.entered(this.cohorts.enter(acquisition.attempt(), this.strategy, acquisition));
	}

	private void assertNothingIsLeft() {
		assertThat(this.strategy.length()).isZero();
		assertThat(this.cohorts.count()).isZero();
	}

	/** Makes no holds, or no handle of them. */
	private static class FailingHost extends PlainHost {

		private final boolean hold;

		FailingHost(Acquisition.Host client, boolean hold) {
			super(client);
			this.hold = hold;
		}

		@Override
		public Hold newHold(Object owner, LocalGrant localGrant) {
			if (this.hold) {
				throw new NoClassDefFoundError("planted");
			}
			return super.newHold(owner, localGrant);
		}

		@Override
		public HeldLock acquired(Acquisition acquisition, List<Hold> parts) {
			throw new NoClassDefFoundError("planted");
		}

	}

	/** Starts no timer, and knows those that it was to start. */
	private static final class TimingHost extends PlainHost {

		private final List<Future<?>> timers = new ArrayList<>();

		private Runnable whenTimed = () -> {
		};

		private TimingHost(Acquisition.Host client) {
			super(client);
		}

		@Override
		public Future<?> after(long nanos, Runnable step) {
			CompletableFuture<Void> timer = new CompletableFuture<>();
			this.timers.add(timer);
			this.whenTimed.run();
			return timer;
		}

	}

	/** Does what a client does. */
	private static class PlainHost implements Acquisition.Host {

		private final Acquisition.Host client;

		PlainHost(Acquisition.Host client) {
			this.client = client;
		}

		@Override
		public Hold newHold(Object owner, LocalGrant localGrant) {
			return this.client.newHold(owner, localGrant);
		}

		@Override
		public HeldLock acquired(Acquisition acquisition, List<Hold> parts) {
			return this.client.acquired(acquisition, parts);
		}

		@Override
		public void notAcquired(Acquisition acquisition, Throwable cause) {
			this.client.notAcquired(acquisition, cause);
		}

		@Override
		public void failed(Acquisition acquisition, Throwable cause) {
			this.client.failed(acquisition, cause);
		}

		@Override
		public Future<?> after(long nanos, Runnable step) {
			return this.client.after(nanos, step);
		}

		@Override
		public boolean isClosed() {
			return this.client.isClosed();
		}

		@Override
		public String servers() {
			return this.client.servers();
		}

	}

}
