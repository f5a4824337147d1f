package io.github.zklock.health;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.github.zklock.LockSessionStatus;

/**
 * Reports the state of the lock client's ZooKeeper session: up, out of service while it
 * is suspended, down when it is lost, or when it is connected and no lock can be had all
 * the same.
 *
 * @since 0.1.0
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	private final LockSessionStatus session;

	/**
	 * Creates an indicator.
	 * @param session the session of the lock client
	 */
	public LockHealthIndicator(LockSessionStatus session) {
		super("The state of the ZooKeeper session is not known");
		this.session = session;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		LockSessionStatus.State state = this.session.state();
		String known = this.session.problem();
		switch (state) {
			case CONNECTED -> builder.status((known != null) ? Status.DOWN : Status.UP);
			case SUSPENDED -> builder.outOfService();
			case LOST -> builder.down();
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
	}

}
