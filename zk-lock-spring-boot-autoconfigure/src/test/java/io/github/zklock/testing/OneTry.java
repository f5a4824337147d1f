package io.github.zklock.testing;

import java.time.Duration;
import java.util.Optional;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;

/**
 * Asks once for a lock, with a time-out of zero. Such a call gives the servers a fifth of
 * a second to answer, which a busy machine may miss; then it is asked again.
 */
public final class OneTry {

	private OneTry() {
	}

	/**
	 * Asks once.
	 * @param client whom to ask
	 * @param request what to ask for
	 * @return the handle, or empty if the key is busy
	 * @throws InterruptedException if interrupted
	 */
	public static Optional<LockHandle> of(LockClient client, LockRequest request) throws InterruptedException {
		long start = System.nanoTime();
		while (true) {
			try {
				return client.tryAcquire(request.timeout(Duration.ZERO));
			}
			catch (LockUnavailableException ex) {
				if (System.nanoTime() - start > Actor.PATIENCE.toNanos()) {
					throw ex;
				}
			}
		}
	}

}
