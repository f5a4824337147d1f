package io.github.zklock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

/**
 * Acquires locks that exclude all other clients of the same ZooKeeper ensemble and root
 * path, in whatever JVM. Safe for use by many threads. One per application is enough.
 *
 * <p>
 * Re-entrancy is by owner: the calling thread for {@link #acquire} and
 * {@link #tryAcquire}, unless {@link LockRequest#owner(Object)} says otherwise; every
 * {@link #acquireAsync} is an owner of its own unless the request names one. An owner
 * that holds a key gets further handles for it at once, and the key is free when the last
 * one is released. READ inside EXCLUSIVE or WRITE is such a re-entry; the other way round
 * is a {@link LockUpgradeException}. A call that is already waiting when another call of
 * its owner is granted the key is no re-entry: it is served in its turn, as another
 * owner's.
 *
 * @since 0.1.0
 */
public interface LockClient extends AutoCloseable {

	/**
	 * Acquires the lock, waiting for at most the request's time-out.
	 * @param request which keys, in which mode, how long to queue at most
	 * @return the handle; the lock is held
	 * @throws LockTimeoutException if others held a key all that time; nothing is held
	 * @throws LockUnavailableException if ZooKeeper gave no answer in time or refused, or
	 * the client is closed, also while the caller waits; nothing is held
	 * @throws LockUpgradeException if the owner would wait for itself: it holds a key in
	 * mode READ and asks for more, holds a permit of it and asks for the lock, or needs a
	 * share of {@code max-held} while all shares are held by owners that wait for one too
	 * @throws LockLostException if the owner's hold of the key was lost and not yet
	 * released
	 * @throws LockException if callers of this client hold or await permits of the key
	 * with another number ({@link LockRequest#permits}), or the lock engine failed;
	 * nothing is held
	 * @throws IllegalArgumentException if the request can never be served: it names an
	 * unknown strategy, has more keys or bytes than one request may have or more keys
	 * than {@code max-held} allows, or has a key that cannot be a path although keys are
	 * nested
	 * @throws InterruptedException if interrupted; nothing is held, no node stays behind,
	 * the interrupt flag is cleared
	 */
	LockHandle acquire(LockRequest request) throws InterruptedException;

	/**
	 * Tries to acquire the lock within the request's time-out; with
	 * {@link java.time.Duration#ZERO} it asks once, and writes only when the key looks
	 * free, or when the one node in its queue may be merely retained.
	 * @param request which keys, in which mode, how long to queue at most
	 * @return the handle, or empty if others held a key all that time
	 * @throws LockUnavailableException if ZooKeeper gave no answer in time or refused, or
	 * the client is closed, also while the caller waits; nothing is held
	 * @throws LockUpgradeException as {@link #acquire}
	 * @throws LockLostException as {@link #acquire}
	 * @throws LockException as {@link #acquire}
	 * @throws IllegalArgumentException as {@link #acquire}
	 * @throws InterruptedException if interrupted; nothing is held, no node stays behind,
	 * the interrupt flag is cleared
	 */
	Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException;

	/**
	 * Does some work while holding the lock, and fails if the lock was lost meanwhile.
	 * While the work runs, its handle is that of {@link LockContext#current()}; work that
	 * has released it by itself has not lost it.
	 * @param <T> the type of the result
	 * @param <X> what the work throws
	 * @param request which keys, in which mode, how long to queue at most
	 * @param work what to do; it runs on the calling thread, and not at all if the lock
	 * is not acquired
	 * @return what the work returned; the lock is released
	 * @throws X if the work threw it; the lock is released. If it was lost, the exception
	 * has a {@link LockLostException} as a suppressed one
	 * @throws LockLostException if the work returned, but the lock was lost before: its
	 * result is not returned; or if it was lost before the work began, which has not run
	 * then; also as {@link #acquire}
	 * @throws LockTimeoutException as {@link #acquire}
	 * @throws LockUnavailableException as {@link #acquire}
	 * @throws LockUpgradeException as {@link #acquire}
	 * @throws LockException as {@link #acquire}
	 * @throws IllegalArgumentException as {@link #acquire}
	 * @throws InterruptedException if interrupted while waiting for the lock, as
	 * {@link #acquire}
	 */
	default <T extends @Nullable Object, X extends Exception> T call(LockRequest request, Work<T, X> work)
			throws X, InterruptedException {
		return new WorkHandle(acquire(request)).call(work);
	}

	/**
	 * Does some work that has no result, as {@link #call}.
	 * @param request which keys, in which mode, how long to queue at most
	 * @param work what to do
	 * @throws LockLostException as {@link #call}
	 * @throws LockTimeoutException as {@link #acquire}
	 * @throws LockUnavailableException as {@link #acquire}
	 * @throws LockUpgradeException as {@link #acquire}
	 * @throws LockException as {@link #acquire}
	 * @throws IllegalArgumentException as {@link #acquire}
	 * @throws InterruptedException if interrupted while waiting for the lock, as
	 * {@link #acquire}
	 */
	default void run(LockRequest request, Runnable work) throws InterruptedException {
		call(request, () -> {
			work.run();
			return Boolean.TRUE;
		});
	}

	/**
	 * Returns a view of this client for jobs that are to run once for each firing,
	 * although each instance starts them, at slightly different times: it grants a lock
	 * only if no client has granted it, by such a view, for a time. Otherwise it says
	 * busy: {@code tryAcquire} is empty, the others throw {@link LockTimeoutException}. A
	 * mark that outlives the lock and its holder remembers the last run, its time by the
	 * clock of the servers and its outcome.
	 *
	 * <p>
	 * No two runs are started within that time, by the clock of one leader of the
	 * servers, unless a run is taken over. Each firing runs once if the time is longer
	 * than the instances' calls are apart, and shorter than the shortest time between two
	 * firings less what a caller may wait. The time that a caller has waited for the lock
	 * is added to it, so that the caller does not repeat the run that it waited for.
	 * Where several keys are locked, the first one names the job. The view refuses
	 * permits, mode READ and strategies without a node in ZooKeeper by an
	 * {@link IllegalArgumentException}, and has no {@code java.util.concurrent} views.
	 * @param within for how long a lock is not granted again, from the moment at which
	 * the servers started the last run; after a lost answer its caller begins later, by
	 * its time-out at most
	 * @param takesOver whether it is granted all the same if the last run has not ended
	 * although its lock is free, because its instance has died, or has lost its lock:
	 * then the run is made up for, at least once and not exactly once
	 * @return the view; it holds no resources. Its locks exclude all others of the key
	 * @throws IllegalArgumentException if the time is not positive, or longer than a year
	 * @throws UnsupportedOperationException if this kind of client remembers nothing
	 */
	default LockClient notAgainWithin(Duration within, boolean takesOver) {
		throw new UnsupportedOperationException("This lock client does not remember when jobs ran");
	}

	/**
	 * Starts to acquire the lock and returns at once. No thread waits. Completing the
	 * future from outside in whatever way ({@code cancel}, {@code orTimeout},
	 * {@code complete}, {@code completeExceptionally}) gives up, before stages that
	 * depend on it run, and leaves nothing behind. A stage derived from it is another
	 * future: if that one is cancelled or timed out, the lock is acquired all the same,
	 * and nobody has the handle. The continuations of the future run on the client's
	 * callback executor, which also completes it: a continuation that waits there for
	 * another such future may wait for its own thread.
	 * @param request which keys, in which mode, how long to queue at most
	 * @return a future of the handle; fails with the exceptions of {@link #acquire}
	 * @throws IllegalArgumentException as {@link #acquire}; thrown, not in the future
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Returns a view of a key's EXCLUSIVE lock as {@code java.util.concurrent} has it:
	 * owned by the thread, re-entrant, {@link IllegalMonitorStateException} for an unlock
	 * by a thread that does not hold it. All views of one key and mode of this client are
	 * one lock; one of another mode has to be unlocked by a view of that. {@code unlock}
	 * releases a lock that was lost too, and then throws {@link LockLostException}.
	 * {@code newCondition} is unsupported.
	 *
	 * <p>
	 * {@code tryLock} throws {@link LockUnavailableException} when ZooKeeper gives no
	 * answer, and {@code lock} and {@code lockInterruptibly} wait forever, for servers
	 * too. All of them fail as {@link #acquire} does: with
	 * {@link LockUnavailableException} if the servers refuse, or the client is closed,
	 * also while they wait; with {@link LockLostException} if the thread's hold of the
	 * key was lost and not yet unlocked; with {@link LockUpgradeException} if the thread
	 * has the key in mode READ, or a permit of it; with {@link IllegalArgumentException}
	 * if the key cannot be a path although keys are nested; with {@link LockException}
	 * for the rest.
	 * @param key the key
	 * @return the view; it holds no resources
	 * @throws IllegalArgumentException if the key is empty, too long or not well-formed
	 * Unicode
	 */
	Lock asLock(String key);

	/**
	 * Returns a view of a key's READ and WRITE locks as {@code java.util.concurrent} has
	 * it; as {@link #asLock(String)}. A thread that holds the write lock may take the
	 * read lock; one that holds only the read lock gets {@link LockUpgradeException} from
	 * the write lock.
	 * @param key the key
	 * @return the view; it holds no resources
	 * @throws IllegalArgumentException as {@link #asLock(String)}
	 */
	ReadWriteLock asReadWriteLock(String key);

	/**
	 * Ends the client: those who wait get {@link LockUnavailableException}, what is held
	 * is released at once (its handles report lost), later calls are refused. Waits for
	 * up to 2 s (in memory 5 s) for the servers to confirm, and goes on in the background
	 * when they do not.
	 */
	@Override
	void close();

	/**
	 * What is done while a lock is held.
	 *
	 * @param <T> the type of the result
	 * @param <X> what it throws
	 * @since 0.1.0
	 */
	@FunctionalInterface
	interface Work<T extends @Nullable Object, X extends Exception> {

		/**
		 * Does it.
		 * @return the result
		 * @throws X if it fails
		 */
		T run() throws X;

	}

}
