package io.github.zklock.autoconfigure;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

import io.github.zklock.LeaderElection;

/**
 * Makes this instance a candidate while the application is ready, and lets it withdraw
 * before the application stops.
 */
final class LeaderLifecycle implements SmartLifecycle, ApplicationListener<ApplicationEvent> {

	/*-
	 * The reasons not to be a candidate come and go on any threads: the context's, and those that
	 * publish a state. They are changed, and the elections are called, under one
	 * monitor, so that the last call is the one for the last reason; none of the calls waits. The
	 * beans may have to be made, under locks of Spring's, so they are asked for outside of it.
	 */

	/**
	 * Stopped before the web server, which is {@code DEFAULT_PHASE - 1024} and refuses
	 * requests from then on, and after what the application stops first of all.
	 */
	static final int PHASE = DEFAULT_PHASE - 512;

	private static final Logger log = LoggerFactory.getLogger(LeaderLifecycle.class);

	private final Set<Reason> reasons = EnumSet.of(Reason.NOT_READY, Reason.NOT_RUNNING);

	private final ApplicationContext context;

	private final boolean yieldWhenUnavailable;

	LeaderLifecycle(ApplicationContext context, boolean yieldWhenUnavailable) {
		this.context = context;
		this.yieldWhenUnavailable = yieldWhenUnavailable;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		if (event instanceof ApplicationReadyEvent ready && ready.getApplicationContext() == this.context) {
			gone(Reason.NOT_READY);
		}
		else if (this.yieldWhenUnavailable && event instanceof AvailabilityChangeEvent<?> change) {
			if (change.getState() instanceof LivenessState state) {
				change(Reason.BROKEN, state == LivenessState.BROKEN);
			}
			else if (change.getState() instanceof ReadinessState state) {
				change(Reason.REFUSING_TRAFFIC, state == ReadinessState.REFUSING_TRAFFIC);
			}
		}
	}

	@Override
	public void start() {
		gone(Reason.NOT_RUNNING);
	}

	@Override
	public synchronized boolean isRunning() {
		return !this.reasons.contains(Reason.NOT_RUNNING);
	}

	@Override
	public void stop() {
		change(Reason.NOT_RUNNING, true);
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // the stage after it calls back
	public void stop(Runnable callback) {
		come(Reason.NOT_RUNNING).whenComplete((withdrawn, failure) -> callback.run());
	}

	@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the end
	private void change(Reason reason, boolean applies) {
		if (applies) {
			come(reason);
		}
		else {
			gone(reason);
		}
	}

	private void gone(Reason reason) {
		List<LeaderElection> all = elections();
		synchronized (this) {
			if (this.reasons.remove(reason) && this.reasons.isEmpty()) {
				all.forEach(LeaderLifecycle::begin);
			}
		}
	}

	private CompletableFuture<Void> come(Reason reason) {
		List<LeaderElection> all = elections();
		synchronized (this) {
			this.reasons.add(reason);
			return CompletableFuture
				.allOf(all.stream().map(LeaderLifecycle::withdraw).toArray(CompletableFuture[]::new));
		}
	}

	// A listener that closes the context would wait for its own return. A mock returns
	// nothing.
	private static CompletableFuture<Void> withdraw(LeaderElection election) {
		@Nullable CompletableFuture<Void> withdrawn = election.withdraw();
		return (withdrawn == null || election.isListenerThread()) ? CompletableFuture.completedFuture(null) : withdrawn;
	}

	// Those of a parent context begin and end with that
	private List<LeaderElection> elections() {
		return List.copyOf(this.context.getBeansOfType(LeaderElection.class).values());
	}

	private static void begin(LeaderElection election) {
		try {
			election.stand();
		}
		catch (IllegalStateException ex) {
			log.debug("The election '{}' was closed by the application", election.name(), ex);
		}
	}

	/** Why this instance is no candidate. */
	private enum Reason {

		NOT_READY, NOT_RUNNING, BROKEN, REFUSING_TRAFFIC

	}

}
