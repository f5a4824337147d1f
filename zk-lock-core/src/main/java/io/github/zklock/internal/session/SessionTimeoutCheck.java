package io.github.zklock.internal.session;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns when the servers give another session time-out than Curator asks for.
 *
 * @param asked which one Curator asks for, or null if that is not known
 */
record SessionTimeoutCheck(@Nullable Duration asked) {

	private static final Logger log = LoggerFactory.getLogger(SessionTimeoutCheck.class);

	/**
	 * Looks at the time-out of a new session. Warns once for each time-out, not for each
	 * session.
	 * @param given what the servers gave
	 * @param before the time-out of the session before, or null if it is the first one
	 */
	void look(Duration given, @Nullable Duration before) {
		Duration wanted = this.asked;
		if (wanted == null || given.equals(wanted) || given.equals(before)) {
			return;
		}
		if (given.compareTo(wanted) > 0) {
			log.warn(
					"The ZooKeeper servers raised the session time-out from {} ms to {} ms, which is their minSessionTimeout, "
							+ "by default two ticks. Whether a lock is still held can only be known with a session time-out of "
							+ "five ticks at least: ask for more, or lower the servers' tickTime",
					wanted.toMillis(), given.toMillis());
		}
		else {
			log.warn(
					"The ZooKeeper servers cut the session time-out from {} ms to {} ms, which is their maxSessionTimeout, "
							+ "by default twenty ticks: after that time without an answer the locks of this client are free. "
							+ "Ask for no more, or raise maxSessionTimeout on all servers",
					wanted.toMillis(), given.toMillis());
		}
	}

}
