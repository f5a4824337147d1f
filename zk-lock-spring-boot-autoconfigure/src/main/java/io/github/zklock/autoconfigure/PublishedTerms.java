package io.github.zklock.autoconfigure;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

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
		this.events.publishEvent(new GrantedEvent(election(), term));
	}

	@Override
	public void revoked(long term) {
		this.events.publishEvent(new RevokedEvent(election(), term));
	}

}
