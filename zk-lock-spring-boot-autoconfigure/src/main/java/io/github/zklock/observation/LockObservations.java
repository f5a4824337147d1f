package io.github.zklock.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockListener;
import io.github.zklock.LostReason;
import io.github.zklock.observation.LockObservationDocumentation.Attribute;

/**
 * Observes the waits and the holds of a client's locks. Both are children of what was
 * observed on the thread that asked; neither is ever current on a thread, because a lock
 * may be acquired and released on any.
 *
 * @since 0.1.0
 */
public final class LockObservations implements LockListener {

	/*-
	 * `waits` and `holds` have the observations that run, by the id of their acquisition. A wait
	 * begins on the caller's thread, everything else happens on the client's callback executor,
	 * one event at a time; an acquisition's wait is in the map before any other event of it.
	 */

	private final Map<Long, Wait> waits = new ConcurrentHashMap<>();

	private final Map<Long, Observation> holds = new ConcurrentHashMap<>();

	private final ObservationRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry where the observations go
	 */
	public LockObservations(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void asked(Event event) {
		if (!this.registry.isNoop()) {
			ObservationView parent = this.registry.getCurrentObservation();
			this.waits.put(event.id(), new Wait(begin(LockObservationDocumentation.WAIT, event, parent), parent));
		}
	}

	@Override
	public void acquired(Event event) {
		Wait wait = this.waits.remove(event.id());
		if (wait != null) {
			wait.observation().lowCardinalityKeyValue(Attribute.OUTCOME.withValue("acquired"));
			wait.observation().stop();
			this.holds.put(event.id(), begin(LockObservationDocumentation.HOLD, event, wait.parent()));
		}
	}

	@Override
	public void notAcquired(Event event, Throwable cause) {
		Wait wait = this.waits.remove(event.id());
		if (wait != null) {
			wait.observation().lowCardinalityKeyValue(Attribute.OUTCOME.withValue("failed"));
			wait.observation().error(cause);
			wait.observation().stop();
		}
	}

	@Override
	public void lost(Event event, LostReason reason) {
		Observation hold = this.holds.get(event.id());
		if (hold != null) {
			hold.lowCardinalityKeyValue(Attribute.OUTCOME.withValue("lost"));
			hold.event(Observation.Event.of("lost", "lost because " + reason.description()));
		}
	}

	@Override
	public void released(Event event) {
		Observation hold = this.holds.remove(event.id());
		if (hold != null) {
			if (hold.getContextView().getLowCardinalityKeyValue(Attribute.OUTCOME.asString()) == null) {
				hold.lowCardinalityKeyValue(Attribute.OUTCOME.withValue("released"));
			}
			hold.stop();
		}
	}

	private Observation begin(LockObservationDocumentation kind, Event event, @Nullable ObservationView parent) {
		Observation.Context context = new Observation.Context();
		String template = event.template();
		if (parent != null) {
			context.setParentObservation(parent);
		}
		Observation observation = Observation.createNotStarted(kind.getName(), () -> context, this.registry)
			.contextualName(kind.getContextualName())
			.lowCardinalityKeyValue(
					Attribute.KEY.withValue((template != null && !template.isEmpty()) ? template : "none"))
			.lowCardinalityKeyValue(Attribute.STRATEGY.withValue(event.strategy()))
			.lowCardinalityKeyValue(Attribute.MODE.withValue(event.mode().name()));
		return observation.start();
	}

	/**
	 * An observed wait. One that is switched off does not know its parent.
	 *
	 * @param observation the observation
	 * @param parent what was observed on the thread that asked, or null
	 */
	private record Wait(Observation observation, @Nullable ObservationView parent) {
	}

}
