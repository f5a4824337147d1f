package io.github.zklock.sample.shop;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.spring.GrantedEvent;

/**
 * What one instance of the shop does alone, again and again, as long as it leads.
 */
@Component
class Heartbeat {

	private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

	private final AtomicLong beats = new AtomicLong();

	private final LeaderElection election;

	Heartbeat(@Qualifier("heartbeat") LeaderElection election) {
		this.election = election;
	}

	// tag::leader[]
	@Scheduled(fixedRate = 1000)
	@LeaderOnly("heartbeat")
	void beat() {
		this.beats.incrementAndGet();
	}

	@EventListener
	void begin(GrantedEvent granted) {
		this.beats.set(0);
		log.info("This instance leads, in term {}", granted.getTerm());
	}
	// end::leader[]

	State state() {
		OptionalLong term = this.election.term();
		return new State(term.isPresent(), term.isPresent() ? term.getAsLong() : null, this.beats.get());
	}

	/**
	 * What this instance knows of the leader.
	 *
	 * @param leader whether it is this one
	 * @param term in which term, if it is
	 * @param beats how often it beat in its last term
	 */
	record State(boolean leader, @Nullable Long term, long beats) {
	}

}
