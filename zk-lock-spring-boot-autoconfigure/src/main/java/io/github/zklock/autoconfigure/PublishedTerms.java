package io.github.zklock.autoconfigure;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.spring.GrantedEvent;
import io.github.zklock.spring.RevokedEvent;

/**
 * Publishes the terms of an election as events of Spring. They are published one at a
 * time and in order, because that is how an election reports them.
 */
final class PublishedTerms implements LeaderElection.Listener {

	private final ApplicationEventPublisher events;

	private volatile @Nullable LeaderElection election;

	private PublishedTerms(ApplicationEventPublisher events) {
		this.events = events;
	}

	/**
	 * Makes an election. Called by name, also ahead of time.
	 * @param name the name of the election
	 * @param client has the lock
	 * @param events where its terms are published
	 * @return the election, which is no candidate yet
	 */
	static LeaderElection election(String name, LockClient client, ApplicationEventPublisher events) {
		PublishedTerms terms = new PublishedTerms(events);
		LeaderElection election = LeaderElection.of(client, name, terms);
		terms.election = election;
		return election;
	}

	private LeaderElection election() {
		return Objects.requireNonNull(this.election, "An election has no term before it is made");
	}

	@Override
	public void granted(long term) {
		publish(new GrantedEvent(election(), term));
	}

	@Override
	public void revoked(long term) {
		publish(new RevokedEvent(election(), term));
	}

	// A listener of the term's beginning may have closed the context, which takes no more
	private void publish(ApplicationEvent event) {
		if (!(this.events instanceof ConfigurableApplicationContext context) || context.isActive()) {
			this.events.publishEvent(event);
		}
	}

}
