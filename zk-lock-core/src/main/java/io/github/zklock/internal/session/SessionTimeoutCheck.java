package io.github.zklock.internal.session;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the session time-out that the servers give with what Curator asks for. A
 * smaller one is good, and warned of. A larger one is the least that they give, which is
 * two ticks unless they are configured otherwise, and the lease needs five.
 *
 * @param asked which one Curator asks for, or null if that is not known
 */
record SessionTimeoutCheck(@Nullable Duration asked) {

	private static final Logger log = LoggerFactory.getLogger(SessionTimeoutCheck.class);

	/**
	 * Says why no lock can be acquired in a session.
	 * @param given the session time-out that the servers gave
	 * @return the reason, or null if there is none
	 */
	@Nullable String refusal(Duration given) {
		Duration wanted = this.asked;
		if (wanted == null || given.compareTo(wanted) <= 0) {
			return null;
		}
		return ("The ZooKeeper servers raised the session time-out from %s ms to %s ms, which is their minSessionTimeout, "
				+ "by default two ticks. Whether a lock is still held can only be known with a session time-out of "
				+ "five ticks at least, by default %s ms: ask for that, or lower the servers' tickTime. If their "
				+ "minSessionTimeout is five ticks or more, ask for %s ms")
			.formatted(wanted.toMillis(), given.toMillis(), given.toMillis() / 2 * 5, given.toMillis());
	}

	/**
	 * Warns that a server has cut the time-out of a session that there was.
	 * @param before the time-out until then
	 * @param given what the servers give now
	 */
	static void cut(Duration before, Duration given) {
		log.warn(
				"The ZooKeeper servers have cut the time-out of this session from {} ms to {} ms: their maxSessionTimeout has changed. Locks that were held may be lost",
				before.toMillis(), given.toMillis());
	}

	/**
	 * Says that the servers have raised the time-out of a session that there was.
	 * @param refusal why no lock could be had in a new one
	 */
	static void raised(String refusal) {
		log.error("{}. This session goes on, but nobody knows for sure what is held in it", refusal);
	}

	/**
	 * Looks at the time-out of a new session. Warns once for each time-out, not for each
	 * session.
	 * @param given what the servers gave
	 * @param before the time-out of the session before, or null if it is the first one
	 */
	void look(Duration given, @Nullable Duration before) {
		Duration wanted = this.asked;
		if (wanted != null && given.compareTo(wanted) < 0 && !given.equals(before)) {
			log.warn(
					"The ZooKeeper servers cut the session time-out from {} ms to {} ms, which is their maxSessionTimeout, "
							+ "by default twenty ticks: after that time without an answer the locks of this client are free. "
							+ "Ask for no more, or raise maxSessionTimeout on all servers",
					wanted.toMillis(), given.toMillis());
		}
	}

}
