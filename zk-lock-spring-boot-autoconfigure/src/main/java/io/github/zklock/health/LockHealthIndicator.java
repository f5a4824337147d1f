package io.github.zklock.health;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.spring.GrantedEvent;

/**
 * Reports the state of the lock client's ZooKeeper session: up, out of service while it
 * is suspended, down when it is lost, or when it is connected and no lock can be acquired
 * all the same.
 *
 * @since 0.1.0
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class LockHealthIndicator extends AbstractHealthIndicator implements ApplicationListener<GrantedEvent> {

	/*-
	 * A listener of the user's that throws keeps those after it from the event, so this is the
	 * first.
	 *
	 * Since when an instance leads is known from the event, which may come a moment later than
	 * the term: it is shown with that term only.
	 */

	private final Map<String, GrantedEvent> grants = new ConcurrentHashMap<>();

	private final LockSessionStatus session;

	private final Supplier<Stream<LeaderElection>> elections;

	/**
	 * Creates an indicator.
	 * @param session the session of the lock client
	 */
	public LockHealthIndicator(LockSessionStatus session) {
		this(session, Stream::empty);
	}

	/**
	 * Creates an indicator that also shows elections.
	 * @param session the session of the lock client
	 * @param elections the elections of this instance
	 */
	public LockHealthIndicator(LockSessionStatus session, Supplier<Stream<LeaderElection>> elections) {
		super("The state of the ZooKeeper session is not known");
		this.session = session;
		this.elections = elections;
	}

	@Override
	public void onApplicationEvent(GrantedEvent event) {
		this.grants.put(event.getName(), event);
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		LockSessionStatus.State state = this.session.state();
		String known = this.session.problem();
		if (state == LockSessionStatus.State.SUSPENDED) {
			builder.outOfService();
		}
		else if (state == LockSessionStatus.State.LOST || known != null) {
			builder.down();
		}
		else {
			builder.up();
		}
		builder.withDetail("state", state.name()).withDetail("servers", this.session.servers());
		long id = this.session.sessionId();
		if (state != LockSessionStatus.State.LOST && id != 0) {
			builder.withDetail("session", "0x" + Long.toHexString(id))
				.withDetail("sessionTimeout", this.session.sessionTimeout().toString());
		}
		if (known != null) {
			builder.withDetail("problem", known);
		}
		Map<String, Object> leads = new TreeMap<>();
		this.elections.get().forEach((election) -> {
			// A mock has none
			@Nullable String name = election.name();
			if (name != null) {
				leads.put(name, describe(election));
			}
		});
		if (!leads.isEmpty()) {
			builder.withDetail("leaderElections", leads);
		}
	}

	private Map<String, Object> describe(LeaderElection election) {
		Map<String, Object> description = new LinkedHashMap<>();
		OptionalLong term = election.term();
		description.put("leader", term.isPresent());
		if (term.isPresent()) {
			description.put("term", term.getAsLong());
			GrantedEvent grant = this.grants.get(election.name());
			if (grant != null && grant.getTerm() == term.getAsLong()) {
				description.put("since", Instant.ofEpochMilli(grant.getTimestamp()).toString());
			}
		}
		return description;
	}

}
