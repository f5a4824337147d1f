package io.github.zklock.spring;

import org.springframework.context.ApplicationEvent;

import io.github.zklock.LeaderElection;

/**
 * This instance does not lead an election any more. If it has yielded, also at shutdown,
 * the lock is released when this has been handled, so that the next leader begins later.
 * If it has lost its lock, another instance may lead already. Follows a
 * {@link GrantedEvent} of the same term. Not published if a listener of that has closed
 * the application context.
 *
 * @since 0.1.0
 */
public class RevokedEvent extends ApplicationEvent {

	private static final long serialVersionUID = 1L;

	private final String name;

	private final long term;

	/**
	 * Creates an event.
	 * @param election the election, which is the source
	 * @param term the term that is over
	 */
	public RevokedEvent(LeaderElection election, long term) {
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
	 * @return the term that is over
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
