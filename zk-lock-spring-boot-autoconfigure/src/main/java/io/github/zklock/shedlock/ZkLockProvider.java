package io.github.zklock.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;

/**
 * A provider of ShedLock whose locks exclude all other clients of the same ZooKeeper
 * ensemble and root path. The lock's name is the key.
 *
 * <p>
 * After {@code lockAtMostFor} the lock is given up, and is lost. When the process dies it
 * is free after the session time-out, however long that would have been. For
 * {@code lockAtLeastFor} it is kept by this process, as long as that lives, and a mark
 * keeps other users of this provider out if it does not
 * ({@link LockClient#notAgainWithin}).
 *
 * @since 0.1.0
 */
public final class ZkLockProvider implements ExtensibleLockProvider {

	// Nobody would run the job for whom no server answers at once, or who was connected
	// anew a moment ago
	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration LONGEST = Duration.ofDays(366);

	private final LockClient client;

	private final LongSupplier clock;

	/**
	 * Creates a provider.
	 * @param client acquires the locks; it is not closed by the provider
	 */
	public ZkLockProvider(LockClient client) {
		this.client = client;
		this.clock = System::nanoTime;
	}

	/**
	 * Tries once to acquire a lock.
	 * @param configuration the name and the two bounds
	 * @return the lock, or empty if it is held, also by this process, or if the job was
	 * last run less than {@code lockAtLeastFor} ago
	 * @throws IllegalArgumentException if {@code lockAtMostFor} is zero; nothing is held
	 * @throws io.github.zklock.LockUnavailableException if ZooKeeper gave no answer for
	 * five seconds, refused the request, or the client is closed
	 * @throws LockLostException if the lock was lost before the job could begin
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		Duration atLeast = configuration.getLockAtLeastFor();
		return lock(jobs(atLeast), configuration, new Object()).map((lock) -> lock);
	}

	// A client of the user's may remember nothing
	private LockClient jobs(Duration atLeast) {
		if (atLeast.isZero() || atLeast.isNegative()) {
			return this.client;
		}
		try {
			return this.client.notAgainWithin((atLeast.compareTo(LONGEST) < 0) ? atLeast : LONGEST, false);
		}
		catch (UnsupportedOperationException ex) {
			return this.client;
		}
	}

	/**
	 * Enters a lock again with new bounds.
	 * @param configuration the name and the two bounds
	 * @param owner who holds it
	 * @return the lock, or empty if others hold it
	 */
	Optional<ZkSimpleLock> extend(LockConfiguration configuration, Object owner) {
		try {
			return lock(this.client, configuration, owner);
		}
		catch (LockLostException ex) {
			return Optional.empty();
		}
	}

	private Optional<ZkSimpleLock> lock(LockClient locks, LockConfiguration configuration, Object owner) {
		Duration atMost = configuration.getLockAtMostFor();
		if (atMost.isZero()) {
			throw new IllegalArgumentException("lockAtMostFor of lock '%s' must be positive, but is %s"
				.formatted(LockException.printable(configuration.getName()), atMost));
		}
		LockRequest request = LockRequest.exclusive(configuration.getName())
			.timeout(Duration.ZERO)
			.answerTimeout(ANSWER_TIMEOUT)
			.maxHold(atMost)
			.owner(owner);
		long askedAt = now();
		try {
			return locks.tryAcquire(request)
				.map((handle) -> new ZkSimpleLock(this, configuration, owner, handle, askedAt));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockException("Interrupted while asking for lock '%s'; nothing is held"
				.formatted(LockException.printable(configuration.getName())), ex);
		}
	}

	long now() {
		return this.clock.getAsLong();
	}

}
