package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.DelegatingLockHandle;
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
	 * @param handle as for {@link #write(LockHandle, List)}
	 * @param operations made by {@code CuratorFramework.transactionOp()}; none asks the
	 * servers whether the lock is held
	 * @return their results, in the same order
	 * @throws LockLostException as {@link #write(LockHandle, List)}
	 * @throws LockUnavailableException as {@link #write(LockHandle, List)}
	 * @throws KeeperException as {@link #write(LockHandle, List)}
	 * @throws IllegalArgumentException as {@link #write(LockHandle, List)}
	 * @throws InterruptedException as {@link #write(LockHandle, List)}
	 */
	public List<CuratorTransactionResult> write(LockHandle handle, CuratorOp... operations)
			throws KeeperException, InterruptedException {
		return write(handle, List.of(operations));
	}

	/**
	 * Does all operations, if the lock is held, or none.
	 * @param handle a handle of the client, or a {@link DelegatingLockHandle} around one;
	 * of several keys all must be held
	 * @param operations made by {@code CuratorFramework.transactionOp()}; none asks the
	 * servers whether the lock is held
	 * @return their results, in the same order
	 * @throws LockLostException if the lock was lost or released; nothing was written
	 * @throws LockUnavailableException if no answer came; whether it was written is not
	 * known. Also if all was written, but an operation could not say what it was for
	 * @throws KeeperException if an operation failed; nothing was written
	 * @throws IllegalArgumentException if the handle is not one of the client, its
	 * strategy has no node that could be checked, or the operations are too large for one
	 * request ({@code jute.maxbuffer} of this JVM, 1 MB by default); nothing was written
	 * @throws InterruptedException if interrupted; whether it was written is not known
	 */
	public List<CuratorTransactionResult> write(LockHandle handle, List<CuratorOp> operations)
			throws KeeperException, InterruptedException {
		List<CuratorOp> asked = List.copyOf(operations);
		FencedTransaction write = begin(handle, asked);
		try {
			long end = System.nanoTime() + write.patience();
			if (!Sleep.untilDone(write.outcome(), () -> end - System.nanoTime())) {
				throw write.unanswered("within a session time-out", null);
			}
			return results(handle, asked, write.outcome().get());
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
	 * @param handle as for {@link #write(LockHandle, List)}
	 * @param operations made by {@code CuratorFramework.transactionOp()}
	 * @return as {@link #writeAsync(LockHandle, List)}
	 * @throws IllegalArgumentException as {@link #write(LockHandle, List)}
	 */
	public CompletableFuture<List<CuratorTransactionResult>> writeAsync(LockHandle handle, CuratorOp... operations) {
		return writeAsync(handle, List.of(operations));
	}

	/**
	 * Does all operations, if the lock is held, or none, and returns at once.
	 * @param handle as for {@link #write(LockHandle, List)}
	 * @param operations made by {@code CuratorFramework.transactionOp()}
	 * @return a future of their results, whose continuations run on the client's callback
	 * executor; fails with the exceptions of {@link #write(LockHandle, List)}
	 * @throws IllegalArgumentException as {@link #write(LockHandle, List)}
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // it forwards the outcome
	public CompletableFuture<List<CuratorTransactionResult>> writeAsync(LockHandle handle, List<CuratorOp> operations) {
		CompletableFuture<List<CuratorTransactionResult>> users = new CompletableFuture<>();
		List<CuratorOp> asked = List.copyOf(operations);
		FencedTransaction write = begin(handle, asked);
		write.outcome().whenComplete((results, failure) -> this.callbacks.execute(() -> {
			if (failure != null) {
				users.completeExceptionally(failure);
				return;
			}
			try {
				users.complete(results(handle, asked, results));
			}
			catch (Throwable ex) {
				users.completeExceptionally(ex);
			}
		}));
		return users;
	}

	private FencedTransaction begin(LockHandle handle, List<CuratorOp> operations) {
		List<Op> ops = new ArrayList<>(operations.size());
		FencedTransaction write = new FencedTransaction(handle, ops);
		if (!handle.isHeld()) {
			write.refuse();
			return write;
		}
		try {
			operations.forEach((operation) -> ops.add(operation.get()));
		}
		catch (Throwable ex) {
			write.outcome().completeExceptionally(ex);
			return write;
		}
		write.under(this.holds.grantsOf(handle));
		return write;
	}

	// The operations are asked what they were for, and may be anybody's. All was written
	// by then.
	private static List<CuratorTransactionResult> results(LockHandle handle, List<CuratorOp> operations,
			List<OpResult> results) {
		try {
			List<CuratorTransactionResult> ours = new ArrayList<>(operations.size());
			for (int i = 0; i < operations.size(); i++) {
				ours.add(result(operations.get(i), results.get(i)));
			}
			return ours;
		}
		catch (Throwable ex) {
			throw new LockUnavailableException("A write under %s was done, but its results could not be read"
				.formatted(LockException.named(handle.keys())), ex, true);
		}
	}

	private static CuratorTransactionResult result(CuratorOp operation, OpResult result) {
		String given = operation.getTypeAndPath().getForPath();
		String full = operation.get().getPath();
		String made = null;
		Stat stat = null;
		if (result instanceof OpResult.CreateResult created) {
			// The chroot of the connect string is still before it, and a number may
			// follow
			String below = created.getPath().substring(Math.max(created.getPath().lastIndexOf(full), 0));
			made = full.endsWith(given) ? below.substring(full.length() - given.length()) : below;
			stat = created.getStat();
		}
		else if (result instanceof OpResult.SetDataResult set) {
			stat = set.getStat();
		}
		return new CuratorTransactionResult(operation.getTypeAndPath().getType(), given, made, stat);
	}

}
