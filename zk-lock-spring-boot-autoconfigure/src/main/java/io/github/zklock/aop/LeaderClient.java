package io.github.zklock.aop;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;

/**
 * Gives methods with {@link io.github.zklock.LeaderOnly @LeaderOnly} what a lock client
 * gives the others: a share of the leader's lock, or none. Nobody waits for it.
 */
final class LeaderClient implements LockClient {

	private final Supplier<LeaderElection> election;

	private volatile @Nullable LeaderElection found;

	/**
	 * Creates a client.
	 * @param election gives the election; asked by calls, not before the first, until it
	 * has given it
	 */
	LeaderClient(Supplier<LeaderElection> election) {
		this.election = election;
	}

	// Under no lock: who makes beans may call a locked method under Spring's, for which
	// another first call may wait here
	private LeaderElection election() {
		LeaderElection known = this.found;
		if (known == null) {
			known = this.election.get();
			this.found = known;
		}
		return known;
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		LeaderElection leader = election();
		return leader.enter().orElseThrow(() -> notLeading(leader));
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return election().enter();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		LeaderElection leader = election();
		return leader.enter()
			.map(CompletableFuture::completedFuture)
			.orElseGet(() -> CompletableFuture.failedFuture(notLeading(leader)));
	}

	private static LockTimeoutException notLeading(LeaderElection election) {
		return new LockTimeoutException("This instance does not lead the election '%s'".formatted(election.name()));
	}

	@Override
	public Lock asLock(String key) {
		throw new UnsupportedOperationException("A leader's lock has no view");
	}

	@Override
	public ReadWriteLock asReadWriteLock(String key) {
		throw new UnsupportedOperationException("A leader's lock has no view");
	}

	/** Does nothing: the election belongs to others. */
	@Override
	public void close() {
		// Holds nothing
	}

}
