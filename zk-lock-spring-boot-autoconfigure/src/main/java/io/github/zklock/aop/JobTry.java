package io.github.zklock.aop;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;

/**
 * Tries to get the lock of a job. It does not wait for others, but for ZooKeeper, and
 * longer than a caller of a web page would: nobody would run the job for whom no server
 * answers at once, or who was connected anew a moment ago.
 */
final class JobTry {

	private static final Logger log = LoggerFactory.getLogger(JobTry.class);

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private JobTry() {
	}

	/**
	 * Tries until there is an answer.
	 * @param client gives the lock
	 * @param request what is asked for, without time to wait for others
	 * @return the lock, or empty if others hold it
	 * @throws LockUnavailableException if there was none for about five seconds
	 * @throws InterruptedException if interrupted
	 */
	static Optional<LockHandle> tryAcquire(LockClient client, LockRequest request) throws InterruptedException {
		long began = System.nanoTime();
		boolean answered = true;
		while (true) {
			try {
				Optional<LockHandle> acquired = client.tryAcquire(request);
				if (acquired.isPresent() || answered) {
					return acquired;
				}
				// That may be what is left of the try before
				answered = true;
			}
			catch (LockUnavailableException ex) {
				if (System.nanoTime() - began > PATIENCE_NANOS) {
					throw ex;
				}
				log.debug("A try to get the lock of job '{}' had no answer", request.keys().get(0), ex);
				answered = false;
				Thread.sleep(PAUSE.toMillis());
			}
		}
	}

}
