package io.github.zklock.spring;

import org.springframework.context.ApplicationEvent;

import io.github.zklock.LeaderElection;

/**
 * This instance leads an election. Published when the term has begun, never on a thread
 * of the lock client, and never at the same time as another event of the election. It
 * should be handled soon: a {@link RevokedEvent} waits until then.
 *
 * @since 0.1.0
 */
public class GrantedEvent extends ApplicationEvent {

	private static final long serialVersionUID = 1L;

	private final String name;

	private final long term;

	/**
	 * Creates an event.
	 * @param election the election, which is the source
	 * @param term the term, a fencing token
	 */
	public GrantedEvent(LeaderElection election, long term) {
		super(election);
		this.name = election.name();
		this.term = term;
	}

	/**
	 * Returns the name of the election.
	 * @return the name, the same on all instances
	 */
	public String getName() {
		return this.name;
	}

	/**
	 * Returns the number of the term.
	 * @return the term, a fencing token
	 */
	public long getTerm() {
		return this.term;
	}

	/**
	 * Returns the election.
	 * @return the source of the event
	 */
	public LeaderElection getElection() {
		return (LeaderElection) getSource();
	}

}
