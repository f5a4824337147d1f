package io.github.zklock.autoconfigure.metrics;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.github.zklock.LeaderElection;
import io.github.zklock.metrics.LockMeterDocumentation;
import io.github.zklock.metrics.LockMeterDocumentation.Tag;
import io.github.zklock.metrics.LockMetrics;
import io.github.zklock.spring.GrantedEvent;

/**
 * Says of each election whether this instance leads, and counts its terms.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LeaderMeters implements ApplicationListener<GrantedEvent> {

	/*-
	 * A listener of the user's that throws keeps those after it from the event, so this is the
	 * first. It gets the events of child contexts as well, which count their own, in the same
	 * registry. An event is known by its election's name, because a bean may be a proxy.
	 */

	private final MeterRegistry registry;

	private final Set<String> names;

	/**
	 * Registers the meters.
	 * @param registry where
	 * @param elections all elections
	 * @param published the names of those whose terms are published as events: others are
	 * counted when the first of them is
	 */
	LeaderMeters(MeterRegistry registry, Stream<LeaderElection> elections, Collection<String> published) {
		this.registry = registry;
		Set<String> names = new HashSet<>(published);
		elections.forEach((election) -> {
			// A mock has none
			@Nullable String name = election.name();
			if (name != null) {
				names.add(name);
				LockMetrics.measure(registry, election);
			}
		});
		this.names = Set.copyOf(names);
		published.forEach(this::terms);
	}

	private Counter terms(String election) {
		return Counter.builder(LockMeterDocumentation.LEADER_TERMS.getName())
			.description(LockMeterDocumentation.LEADER_TERMS.getDescription())
			.tag(Tag.ELECTION.asString(), election)
			.register(this.registry);
	}

	@Override
	public void onApplicationEvent(GrantedEvent event) {
		if (this.names.contains(event.getName())) {
			terms(event.getName()).increment();
		}
	}

}
