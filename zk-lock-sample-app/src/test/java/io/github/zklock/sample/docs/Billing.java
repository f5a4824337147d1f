package io.github.zklock.sample.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;

import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockContext;
import io.github.zklock.spring.GrantedEvent;
import io.github.zklock.spring.RevokedEvent;

/**
 * The example of docs/leader-election.md.
 */
class Billing {

	private final List<String> seen = new CopyOnWriteArrayList<>();

	private final LeaderElection election;

	Billing(@Qualifier("billing") LeaderElection election) {
		this.election = election;
	}

	// tag::method[]
	@Scheduled(fixedDelay = 1000)
	@LeaderOnly("billing")
	public void collect() {
		store(LockContext.current().fencingToken());
	}
	// end::method[]

	// tag::events[]
	@EventListener(condition = "#event.name == 'billing'")
	public void begin(GrantedEvent event) {
		load(event.getTerm());
	}

	@EventListener(condition = "#event.name == 'billing'")
	public void end(RevokedEvent event) {
		unload();
	}
	// end::events[]

	private void store(long token) {
		this.seen.add("collected in " + token);
	}

	private void load(long term) {
		this.seen.add("granted " + term);
	}

	private void unload() {
		this.seen.add("revoked");
	}

	List<String> seen() {
		return this.seen;
	}

	LeaderElection election() {
		return this.election;
	}

}
