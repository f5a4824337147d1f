package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.concurrent.JoinedSteps;
import io.github.zklock.internal.contender.NodeGrant;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.Grant;

/**
 * One transaction that is done only while the nodes of a lock are there.
 */
final class FencedTransaction {

	/*-
	 * It is sent in the serial executors of all contenders whose grants the handle has, as the
	 * deletes of their nodes are, on the same session: so it is either sent before the delete, or not at all. That matters for naive,
	 * where the next holder's node has the same path; nodes in a queue have names of their own,
	 * and the check alone would do. A node that an operator deletes is missed by the check,
	 * unless another naive holder has made it again before this client has noticed.
	 */

	private static final long DEFAULT_PATIENCE = TimeUnit.SECONDS.toNanos(10);

	private final LockHandle handle;

	private final List<Op> operations;

	private final CompletableFuture<List<OpResult>> outcome = new CompletableFuture<>();

	private long patience = DEFAULT_PATIENCE;

	private volatile List<Op> checks = List.of();

	FencedTransaction(LockHandle handle, List<Op> operations) {
		this.handle = handle;
		this.operations = operations;
	}

	/**
	 * Returns what becomes of it.
	 * @return gets the results of the operations, in their order
	 */
	CompletableFuture<List<OpResult>> outcome() {
		return this.outcome;
	}

	/**
	 * Returns how long to wait for the answer.
	 * @return the session time-out, in nanoseconds
	 */
	long patience() {
		return this.patience;
	}

	/**
	 * Returns the checks of the handle's nodes that it was sent with.
	 * @return none as long as it was not sent
	 */
	List<Op> checks() {
		return this.checks;
	}

	/**
	 * Sends it.
	 * @param grants what the handle holds
	 * @throws IllegalArgumentException if they have no nodes, or the handle is unknown
	 */
	void under(List<Grant> grants) {
		if (grants.isEmpty()) {
			if (this.handle.isHeld()) {
				throw new IllegalArgumentException(
						"The handle of " + LockException.named(this.handle.keys()) + " is not one of this lock client");
			}
			refuse();
			return;
		}
		List<NodeGrant> nodeGrants = new ArrayList<>(grants.size());
		for (Grant grant : grants) {
			if (!(grant instanceof NodeGrant nodeGrant)) {
				throw new IllegalArgumentException(
						"The strategy of lock '" + grant.key() + "' has no node in ZooKeeper that could be checked");
			}
			nodeGrants.add(nodeGrant);
		}
		NodeGrant first = nodeGrants.get(0);
		this.patience = first.session().timeoutNanos();
		Consumer<Throwable> failed = (failure) -> this.outcome
			.completeExceptionally(unanswered("because the lock engine failed", failure));
		JoinedSteps.run(nodeGrants.stream().map((grant) -> grant.steps(failed)).toList(), () -> {
			CompletionStage<Boolean> renaming = nodeGrants.stream()
				.map(NodeGrant::renaming)
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
			if (nodeGrants.stream().anyMatch(NodeGrant::isLeaving) || !this.handle.isHeld()) {
				refuse();
			}
			else if (renaming != null) {
				renaming.thenRun(() -> under(grants));
			}
			else {
				send(first.session(), nodeGrants);
			}
		});
	}

	private void send(LockSession session, List<NodeGrant> nodeGrants) {
		Set<String> nodes = new LinkedHashSet<>();
		for (NodeGrant nodeGrant : nodeGrants) {
			String path = nodeGrant.path();
			if (path == null || nodeGrant.session() != session) {
				refuse();
				return;
			}
			nodes.add(path);
		}
		List<Op> request = new ArrayList<>();
		nodes.forEach((node) -> request.add(Op.check(node, -1)));
		this.checks = List.copyOf(request);
		request.addAll(this.operations);
		try {
			RequestSize.checkTransaction(request, nodeGrants.get(0).chroot());
			session.requests().multi(request, (code, results) -> conclude(code, results, nodes.size()));
		}
		catch (RuntimeException ex) {
			this.outcome.completeExceptionally(ex);
		}
	}

	// All was written by then, or nothing
	private void conclude(Code code, @Nullable List<OpResult> results, int checks) {
		try {
			answered(code, results, checks);
		}
		catch (Throwable ex) {
			this.outcome.completeExceptionally(unanswered("that could be handled", ex));
		}
	}

	/** The handle is not held any more. */
	void refuse() {
		this.outcome.completeExceptionally(
				new LockLostException("%s was lost or released before the write, so nothing was written"
					.formatted(LockLostException.subject(this.handle.keys()))));
	}

	private void answered(Code code, @Nullable List<OpResult> results, int checks) {
		if (code == Code.OK && results != null) {
			this.outcome.complete(List.copyOf(results.subList(checks, results.size())));
			return;
		}
		int failed = firstFailure(results);
		if (results == null || failed < 0) {
			this.outcome.completeExceptionally(unanswered("(" + code + ")", null));
		}
		else if (failed >= checks) {
			this.outcome
				.completeExceptionally(KeeperException.create(code, this.operations.get(failed - checks).getPath()));
		}
		else if (code == Code.NONODE || code == Code.SESSIONEXPIRED) {
			refuse();
		}
		else {
			this.outcome.completeExceptionally(KeeperException.create(code, this.handle.key()));
		}
	}

	private static int firstFailure(@Nullable List<OpResult> results) {
		for (int i = 0; results != null && i < results.size(); i++) {
			if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()
					&& error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * Says that nobody knows.
	 * @param why in which way there is no answer
	 * @param cause what happened, or null
	 * @return what to throw
	 */
	LockUnavailableException unanswered(String why, @Nullable Throwable cause) {
		return new LockUnavailableException(
				"ZooKeeper gave no answer %s to a write under %s, so whether it was written is not known".formatted(why,
						LockException.named(this.handle.keys())),
				cause, true);
	}

}
