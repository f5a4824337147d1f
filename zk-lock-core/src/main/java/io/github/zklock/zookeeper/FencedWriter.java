package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.zookeeper.KeeperException;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.client.Holds;
import io.github.zklock.internal.concurrent.Sleep;

/**
 * Writes to ZooKeeper only while a lock is held: all or nothing, in one transaction with
 * a check of the lock's node, on the session that made it. So the servers themselves
 * refuse a holder that woke up late.
 *
 * <p>
 * A write is sent only by a handle that is held at that moment. Local callers that hand a
 * lock off have one node in common: then what the first has sent is done before what the
 * next one sends. A lock that was lost is never handed off.
 *
 * @since 0.1.0
 */
public final class FencedWriter {

	private final Holds holds;

	private final Executor callbacks;

	/**
	 * Creates a writer.
	 * @param client whose handles fence the writes
	 */
	public FencedWriter(ZooKeeperLockClient client) {
		this.holds = client.parts().core().open().holds();
		this.callbacks = client.parts().core().callbacks();
	}

	/**
	 * Does all operations, if the lock is held, or none.
	 * @param handle a handle of the client; of several keys all must be held
	 * @param operations made by {@code CuratorFramework.transactionOp()}; none asks the
	 * servers whether the lock is held
	 * @return their results, in the same order
	 * @throws LockLostException if the lock was lost or released; nothing was written
	 * @throws LockUnavailableException if no answer came; whether it was written is not
	 * known
	 * @throws KeeperException if an operation failed; nothing was written
	 * @throws IllegalArgumentException if the handle is not one of the client, its
	 * strategy has no node that could be checked, or the operations are too large for one
	 * request ({@code jute.maxbuffer} of this JVM, 1 MB by default); nothing was written
	 * @throws InterruptedException if interrupted; whether it was written is not known
	 */
	public List<CuratorTransactionResult> write(LockHandle handle, CuratorOp... operations)
			throws KeeperException, InterruptedException {
		FencedTransaction write = begin(handle, List.of(operations));
		try {
			long end = System.nanoTime() + write.patience();
			if (!Sleep.untilDone(write.outcome(), () -> end - System.nanoTime())) {
				throw write.unanswered("within a session time-out", null);
			}
			return write.outcome().get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof KeeperException refused) {
				throw refused;
			}
			if (ex.getCause() instanceof LockException known) {
				throw known;
			}
			if (ex.getCause() instanceof IllegalArgumentException refused) {
				throw refused;
			}
			throw new IllegalArgumentException("The operations could not be sent", ex.getCause());
		}
	}

	/**
	 * Does all operations, if the lock is held, or none, and returns at once.
	 * @param handle a handle of the client; of several keys all must be held
	 * @param operations made by {@code CuratorFramework.transactionOp()}
	 * @return a future of their results, whose continuations run on the client's callback
	 * executor; fails with the exceptions of {@link #write}
	 * @throws IllegalArgumentException as {@link #write}
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // it forwards the outcome
	public CompletableFuture<List<CuratorTransactionResult>> writeAsync(LockHandle handle, List<CuratorOp> operations) {
		CompletableFuture<List<CuratorTransactionResult>> users = new CompletableFuture<>();
		begin(handle, List.copyOf(operations)).outcome()
			.whenComplete((results, failure) -> this.callbacks.execute(() -> {
				if (failure != null) {
					users.completeExceptionally(failure);
				}
				else {
					users.complete(results);
				}
			}));
		return users;
	}

	private FencedTransaction begin(LockHandle handle, List<CuratorOp> operations) {
		FencedTransaction write = new FencedTransaction(handle, operations);
		if (handle.isHeld()) {
			write.under(this.holds.grantsOf(handle));
		}
		else {
			write.refuse();
		}
		return write;
	}

}
