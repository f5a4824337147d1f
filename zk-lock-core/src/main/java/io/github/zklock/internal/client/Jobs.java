package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.zklock.LockClient;

/**
 * Makes clients that grant a lock once in a time.
 *
 * @param marks remember when they were granted
 * @param requests says how long a request may take
 * @param open notifies listeners of a start that fails
 * @param callbacks runs the user's code
 */
public record Jobs(JobMarks marks, RequestRules requests, OpenAcquisitions open, Executor callbacks) {

	/**
	 * Makes a view of a client.
	 * @param client gives the locks
	 * @param within for how long a lock is not granted again
	 * @param takesOver whether it is all the same if the last run has not ended
	 * @return the view, which holds no resources
	 * @throws IllegalArgumentException if the time is not positive, or longer than a year
	 */
	public LockClient view(LockClient client, Duration within, boolean takesOver) {
		return new JobClient(client, this, new JobMarks.Rule(within, takesOver));
	}

}
