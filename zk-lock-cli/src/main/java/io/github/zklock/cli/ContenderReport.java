package io.github.zklock.cli;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.LockQueue;

/**
 * One who holds or waits, with the names that the endpoint of applications has. What its
 * node does not say is null.
 *
 * @param application its application
 * @param instance its instance
 * @param host its host
 * @param pid its process
 * @param thread the thread that asked first
 * @param since when its node was made, by its own clock
 * @param ageMillis how many milliseconds ago that was, by the clock of this host
 * @param mode how it holds or wants the key
 * @param permits how many may hold the key together with it; null if it has or wants a
 * lock
 * @param token the first fencing token of its node
 * @param node its node
 */
record ContenderReport(@Nullable String application, @Nullable String instance, @Nullable String host,
		@Nullable String pid, @Nullable String thread, @Nullable String since, @Nullable Long ageMillis, LockMode mode,
		@Nullable Integer permits, long token, String node) {

	static ContenderReport of(LockQueue.Contender contender) {
		ContenderOrigin from = contender.origin();
		Integer permits = (contender.permits() > 0) ? contender.permits() : null;
		if (from == null) {
			return new ContenderReport(null, null, null, null, null, null, null, contender.mode(), permits,
					contender.token(), contender.path());
		}
		Duration age = from.age(Instant.now());
		return new ContenderReport(from.application(), from.instance(), from.host(), from.pid(), from.thread(),
				from.since(), (age != null) ? age.toMillis() : null, contender.mode(), permits, contender.token(),
				contender.path());
	}

}
