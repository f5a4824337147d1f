package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LostReason;
import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.internal.session.SessionRequests;
import io.github.zklock.spi.Grant;

/**
 * The nodes of a contender in one session: a lock node for each of its keys. What is
 * wanted of one is wanted of all. Confined to the contender's serial executor.
 */
final class LockNodes {

	private static final Logger log = LoggerFactory.getLogger(LockNodes.class);

	private final LockSession session;

	private final Executor steps;

	private final List<LockNode> lockNodes;

	private final ContenderReports reports;

	private int confirmations;

	private boolean isLeaseShort;

	private long shortSince;

	private boolean incomplete;

	/**
	 * Creates nodes that are not there yet.
	 * @param contender whose nodes
	 * @param terms what it wants
	 * @param reports what it reports to
	 * @param session where they will be
	 */
	LockNodes(LockNode.Host contender, ContenderTerms terms, ContenderReports reports, LockSession session) {
		this.session = session;
		this.reports = reports;
		this.steps = terms.steps();
		this.lockNodes = each(terms.newNodes(session.requests().writeCost().saidNanos()),
				(node) -> new LockNode(contender, terms, reports, session, node));
	}

	// Run for each lock, and cold code is slow: no stream
	private static <S, T> List<T> each(List<S> sources, Function<S, T> what) {
		if (sources.size() == 1) {
			return List.of(what.apply(sources.get(0)));
		}
		List<T> results = new ArrayList<>(sources.size());
		for (S source : sources) {
			results.add(what.apply(source));
		}
		return results;
	}

	private boolean all(Predicate<LockNode> what) {
		for (LockNode lockNode : this.lockNodes) {
			if (!what.test(lockNode)) {
				return false;
			}
		}
		return true;
	}

	LockSession session() {
		return this.session;
	}

	boolean isOne() {
		return this.lockNodes.size() == 1;
	}

	NodeFacts first() {
		return this.lockNodes.get(0).node();
	}

	/**
	 * Returns what is known of the nodes.
	 * @return in the order of the keys
	 */
	List<NodeFacts> facts() {
		return each(this.lockNodes, LockNode::node);
	}

	/**
	 * Returns the key nodes of all that are to be queued.
	 * @return their paths
	 */
	List<String> keyNodes() {
		List<String> paths = new ArrayList<>(this.lockNodes.size());
		queued((lockNode) -> paths.add(lockNode.node().keyNode()));
		return paths;
	}

	private void queued(Consumer<LockNode> what) {
		for (LockNode lockNode : this.lockNodes) {
			if (!lockNode.node().isUnnumbered()) {
				what.accept(lockNode);
			}
		}
	}

	/**
	 * Returns one that can only be made below a node.
	 * @param path the node
	 * @return the first of them
	 */
	NodeFacts below(String path) {
		for (LockNode lockNode : this.lockNodes) {
			if (lockNode.node().keyNode().startsWith(path + "/")) {
				return lockNode.node();
			}
		}
		return first();
	}

	/** They are about to be in ZooKeeper. */
	void track() {
		this.lockNodes.forEach(this.session::track);
	}

	/** The request that creates them is being sent. */
	void entering() {
		this.lockNodes.forEach(LockNode::entering);
	}

	/**
	 * They are there.
	 * @param paths where each is
	 * @param stat the number and the time that all got
	 * @param withKeyNode whether the key node was created with the only one
	 */
	void created(List<String> paths, Stat stat, boolean withKeyNode) {
		for (int i = 0; i < paths.size(); i++) {
			this.lockNodes.get(i).created(paths.get(i), withKeyNode);
		}
		this.lockNodes.forEach((lockNode) -> lockNode.stamped(stat));
	}

	/**
	 * Looks for all at once, after the answer to the request that creates them was lost;
	 * to be called after the commit barrier.
	 * @param then gets OK and how many are there, or the code of a look that failed, when
	 * all looks have been answered
	 */
	void find(ObjIntConsumer<Code> then) {
		List<LockNode> found = new ArrayList<>(this.lockNodes.size());
		AllAnswers all = new AllAnswers(this.session.failures(), this.lockNodes.size(),
				(code) -> then.accept(code, found.size()));
		for (LockNode lockNode : this.lockNodes) {
			lockNode.find((code, path, stat) -> {
				if (code == Code.OK && path != null && stat != null) {
					lockNode.created(path, false);
					lockNode.stamped(stat);
					found.add(lockNode);
				}
				all.answered((code == Code.NONODE) ? Code.OK : code, () -> {
				});
			});
		}
	}

	/** Lists the queues of all that are to be in one, with few requests. */
	void look() {
		List<String> keyNodes = keyNodes();
		if (keyNodes.size() > 1) {
			List<SessionRequests.Listed> answers = new ArrayList<>(keyNodes.size());
			queued((lockNode) -> {
				int round = lockNode.queueWait().looking();
				answers.add((code, names, stat) -> lockNode.queueWait().listed(round, code, names));
			});
			this.session.requests().children(keyNodes, answers);
		}
		else {
			queued((lockNode) -> lockNode.queueWait().look());
		}
	}

	/** Another client has deleted one of them. */
	void miss() {
		this.incomplete = true;
	}

	boolean isIncomplete() {
		return this.incomplete;
	}

	/**
	 * Returns whether nobody is in the way of any.
	 * @return whether they were clear at a moment when all were there
	 */
	boolean areClear() {
		return all((lockNode) -> lockNode.queueWait().isClear() && lockNode.grant().isStamped());
	}

	/**
	 * Returns whether they have been there all that time, and can be held for a while: a
	 * lease that is about to end is waited for, but not for more than half a session
	 * time-out, of which a renewal takes a fifth: slow servers give no better one.
	 * @return whether the lease of the session is valid, and long enough if it ever is
	 */
	boolean areConfirmed() {
		boolean valid = this.session.isConfirmed();
		if (valid && this.session.isLeaseLong()) {
			return true;
		}
		long now = this.session.clock().getAsLong();
		if (valid && !this.isLeaseShort) {
			this.shortSince = now;
		}
		this.isLeaseShort = valid;
		return valid && now - this.shortSince >= this.session.timeoutNanos() / 2;
	}

	/** Looks again at all: at once the first time, later after a pause. */
	void confirm() {
		long pause = (this.confirmations++ == 0) ? 0 : this.session.leasePause();
		if (pause == 0) {
			this.reports.awaitsLease();
		}
		this.lockNodes.forEach((lockNode) -> lockNode.queueWait().confirm(pause));
	}

	/**
	 * The contender holds what they stand for.
	 * @return the grants, in the order of the keys
	 */
	List<Grant> hold() {
		this.lockNodes.forEach((lockNode) -> this.session.held().add(lockNode.grant()));
		return each(this.lockNodes, LockNode::grant);
	}

	/**
	 * Looks whether those are there that nobody has looked for: of several also those
	 * whose way was free, or known to be, before that of another one.
	 */
	void checkUnseen() {
		boolean unseen = !isOne() && this.lockNodes.stream().anyMatch((lockNode) -> lockNode.queueWait().hasWaited());
		for (LockNode lockNode : this.lockNodes) {
			if (unseen || lockNode.queueWait().isClearByEvent()) {
				lockNode.grant().checkNode();
			}
		}
	}

	/** None of them is deleted any more without a look. */
	void doubt() {
		this.lockNodes.forEach((lockNode) -> lockNode.node().doubt());
	}

	/** Deletes all that are there: several of a queue by one transaction. */
	void remove() {
		List<LockNode> together = new ArrayList<>();
		for (LockNode lockNode : this.lockNodes) {
			if (lockNode.isQueued() && !isOne()) {
				together.add(lockNode);
			}
		}
		if (together.size() > 1) {
			removeTogether(together);
		}
		this.lockNodes.forEach(LockNode::remove);
	}

	// What cannot be deleted together is deleted one by one
	private void removeTogether(List<LockNode> together) {
		together.forEach(LockNode::retire);
		this.session.requests()
			.multi(together.stream().map(LockNode::deletion).toList(), (code, results) -> this.steps.execute(() -> {
				switch (ResultKind.of(code)) {
					case LOST -> this.session
						.afterCommit(() -> this.steps.execute(() -> together.forEach(LockNode::removeAfterAll)));
					case ENDED -> log.debug("{} ended with {} in it", this.session, together);
					default -> together.forEach((code == Code.OK) ? LockNode::replaced : LockNode::removeAfterAll);
				}
			}));
	}

	/** Nobody believes to hold them any more. */
	void lose() {
		this.lockNodes.forEach((lockNode) -> lockNode.grant().lose(LostReason.ENGINE_FAILED));
	}

	/** Something has failed since they were to be removed, or before. */
	void removeAgain() {
		this.lockNodes.forEach(LockNode::removeAgain);
	}

	boolean areGone() {
		return all(LockNode::isGone);
	}

	/**
	 * Returns whether the request of a contender that follows can delete them.
	 * @param current the session that such a contender would use
	 * @return whether there is one, in a queue of that session, and it is not being
	 * removed
	 */
	boolean areReplaceable(@Nullable LockSession current) {
		return this.session == current && isOne() && !first().isUnnumbered() && !first().isLeaving()
				&& !first().isRenaming();
	}

	/** Nothing is wanted of them any more; the contender that follows sees to them. */
	void retire() {
		this.lockNodes.forEach(LockNode::retire);
	}

	/** The request of the contender that follows has shown that they are gone. */
	void replaced() {
		this.lockNodes.forEach(LockNode::replaced);
	}

	/** The request of the contender that follows will not delete them. */
	void removeAfterAll() {
		this.lockNodes.forEach(LockNode::removeAfterAll);
	}

}
