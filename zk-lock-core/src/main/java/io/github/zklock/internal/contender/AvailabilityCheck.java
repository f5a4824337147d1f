package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.spi.Blocker;

/**
 * Looks whether keys seem free before anything is written. It may find a key busy that no
 * longer is, at a server that lags; that a key is free is then shown by entering.
 */
final class AvailabilityCheck {

	/*-
	 * A key is free if nobody is in the way, and seems free if the only one in its queue is a node
	 * whose client may retain it: nobody says in ZooKeeper whether it is held at the moment, for
	 * that would take a write each time. Which node that is, is noted in what is known of ours; after
	 * entering, only that one is waited for, see `QueueWait`. What the data of a node does not say is
	 * not so: nodes of clients that know nothing of this are busy. Where all permits are held, and nobody waits,
	 * any of those who hold may be such a node; a few are looked at.
	 *
	 * Right after a reconnect no node of the session could be granted. It would only make others busy, and perhaps
	 * go before it is granted: nobody would have the lock. So none is made until it could be. The commits
	 * in between show that the session lives.
	 *
	 * A request, or a step that waits for a commit, is kept until there is an answer, whatever the caller does. The
	 * contender has not gone before that, so what is kept is bounded as those are who leave.
	 */

	private final LockSession session;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final Executor steps;

	private final List<NodeFacts> nodes;

	private final Runnable next;

	private final GrowingPause pause = GrowingPause.afterLosses();

	private int unanswered;

	/**
	 * Creates one that has not begun.
	 * @param session where
	 * @param terms what the contender wants
	 * @param reports what it reports to
	 * @param steps runs steps as long as the answer is of interest
	 * @param nodes the nodes to be
	 * @param next what to do if all seem free; or if nothing more is wanted, once nothing
	 * is unanswered
	 */
	AvailabilityCheck(LockSession session, ContenderTerms terms, ContenderReports reports, Executor steps,
			List<NodeFacts> nodes, Runnable next) {
		this.session = session;
		this.terms = terms;
		this.reports = reports;
		this.steps = steps;
		this.nodes = nodes;
		this.next = next;
	}

	boolean isAnswered() {
		return this.unanswered == 0;
	}

	/**
	 * Looks at all keys at once, and reports the first of them that is busy. Looks again
	 * when there was no answer.
	 */
	void begin() {
		Look look = new Look();
		for (int i = 0; i < this.nodes.size(); i++) {
			int index = i;
			BiConsumer<Code, @Nullable Blocker> then = (code, blocker) -> look.answered(index, code, blocker);
			NodeFacts node = this.nodes.get(i);
			node.awaits(null);
			if (node.isUnnumbered()) {
				atName(node, then, false);
			}
			else {
				atQueue(node, then, false);
			}
		}
	}

	private void answered(Runnable step) {
		this.steps.execute(() -> {
			this.unanswered--;
			if (!this.reports.areClosed()) {
				step.run();
			}
			else if (isAnswered()) {
				this.next.run();
			}
		});
	}

	private void afterCommit(Runnable step) {
		this.unanswered++;
		this.session.afterCommit(() -> answered(step));
	}

	private void lookAgainIn(long nanos) {
		if (nanos == 0) {
			afterCommit(this::begin);
		}
		else {
			this.session.later(nanos, () -> this.steps.execute(() -> afterCommit(this::begin)));
		}
	}

	private void notFree(Code code, @Nullable Blocker blocker, String path) {
		if (blocker != null) {
			this.reports.blocked(blocker);
		}
		else if (ResultKind.of(code) == ResultKind.REFUSED) {
			this.reports.fail(code, path);
			if (isAnswered()) {
				this.next.run();
			}
		}
		else {
			this.reports.disturbed(code, path);
			lookAgainIn(this.pause.next());
		}
	}

	private void seemFree() {
		if (this.session.isReconnecting()) {
			// It was answered by the connection before
			notFree(Code.CONNECTIONLOSS, null, this.nodes.get(0).keyNode());
		}
		else if (this.session.isConnected() && !this.session.canBeConfirmed()) {
			this.reports.awaitsLease();
			lookAgainIn(this.session.leasePause());
		}
		else {
			this.next.run();
		}
	}

	private void atName(NodeFacts node, BiConsumer<Code, @Nullable Blocker> then, boolean again) {
		this.unanswered++;
		this.session.requests().read(node.keyNode(), null, (code, content, stat) -> answered(() -> {
			if (stat == null) {
				then.accept((code == Code.NONODE) ? Code.OK : code, null);
			}
			else if (stat.getEphemeralOwner() == 0) {
				if (node.isUnnumbered()) {
					node.joinQueue();
				}
				atQueue(node, then, again);
			}
			else if (!again && isLeaving(node, content, stat)) {
				afterCommit(() -> atName(node, then, true));
			}
			else {
				then.accept(Code.OK, node.holder(content, node.keyNode()));
			}
		}));
	}

	// If it is ours, it is released: it is read before it is deleted, so it may still be
	// there. Others may have written into it
	private boolean isLeaving(NodeFacts node, byte @Nullable [] content, Stat stat) {
		return stat.getEphemeralOwner() == this.session.id()
				&& !this.session.held().isHeldBy(NodeContent.idIn(content), node.keyNode());
	}

	private void atQueue(NodeFacts node, BiConsumer<Code, @Nullable Blocker> then, boolean again) {
		this.unanswered++;
		this.session.requests().children(node.keyNode(), null, (code, names, stat) -> answered(() -> {
			if (code == Code.OK || code == Code.NONODE) {
				this.terms.keyNodeSeen(node, stat != null && stat.getEphemeralOwner() == 0);
			}
			if (names == null || stat == null) {
				then.accept((code == Code.NONODE) ? Code.OK : code, null);
			}
			else if (stat.getEphemeralOwner() != 0) {
				atName(node, then, again);
			}
			else {
				inQueue(node, NodeQueue.of(names), then,
						again ? null : () -> afterCommit(() -> atQueue(node, then, true)));
			}
		}));
	}

	private void inQueue(NodeFacts node, NodeQueue queue, BiConsumer<Code, @Nullable Blocker> then,
			@Nullable Runnable again) {
		NodeQueue.Position position = queue.positionAtEnd(node.mode(), node.permits());
		// Those near the end of the numbers are behind us, unless we will be there too
		if (position.blocker() == null || queue.names().stream().allMatch(LockNodeName::isNearOverflow)) {
			then.accept(Code.OK, null);
			return;
		}
		if (again != null && isFreeWithoutLeaving(node, queue)) {
			again.run();
			return;
		}
		if (node.isPermit() && position.waiting() == 0) {
			atHolders(node, holders(queue), then);
			return;
		}
		String only = position.blocker().name();
		if (queue.names().size() > 1 || this.terms.heldNodes().isHeld(node.pathOf(only))) {
			then.accept(Code.OK, node.unknownBlocker(position.blockerHolds()));
		}
		else {
			atOnly(node, only, then);
		}
	}

	// One of ours that is not held may be deleted after an answer that is still to come.
	// That is nobody in the way, unless the next look shows it too
	private boolean isFreeWithoutLeaving(NodeFacts node, NodeQueue queue) {
		if (queue.names().size() == 1) {
			return false;
		}
		String ours = this.terms.source().identity().idPrefix();
		List<String> others = queue.names()
			.stream()
			.map(LockNodeName::name)
			.filter((name) -> !ours.equals(ClientIdentity.clientIn(name))
					|| this.session.held().isHeldBy(ClientIdentity.contenderIn(name), node.pathOf(name)))
			.toList();
		return others.size() < queue.names().size()
				&& NodeQueue.of(others).positionAtEnd(node.mode(), node.permits()).blocker() == null;
	}

	// Each read costs as much as the list, so only a few are looked at
	private static List<String> holders(NodeQueue queue) {
		return queue.names().stream().limit(NodeQueue.MOST_WATCHED).map(LockNodeName::name).toList();
	}

	// All permits are held, and nobody waits: one of them may only be retained
	private void atHolders(NodeFacts node, List<String> holders, BiConsumer<Code, @Nullable Blocker> then) {
		List<String> unknown = holders.stream()
			.filter((name) -> !this.terms.heldNodes().isHeld(node.pathOf(name)))
			.toList();
		if (unknown.isEmpty()) {
			then.accept(Code.OK, node.unknownBlocker(true));
			return;
		}
		atOnly(node, unknown.get(0), (code, blocker) -> {
			if (code == Code.OK && blocker != null) {
				atHolders(node, unknown.subList(1, unknown.size()), then);
			}
			else {
				then.accept(code, blocker);
			}
		});
	}

	private void atOnly(NodeFacts node, String only, BiConsumer<Code, @Nullable Blocker> then) {
		String path = node.pathOf(only);
		this.unanswered++;
		this.session.requests().read(path, null, (code, content, stat) -> answered(() -> {
			if (stat == null) {
				then.accept((code == Code.NONODE) ? Code.OK : code, null);
			}
			else if (NodeContent.mayBeRetained(content)) {
				node.awaits(only);
				this.reports.waits(node.unknownBlocker(true));
				then.accept(Code.OK, null);
			}
			else {
				this.terms.heldNodes().fixed(path);
				then.accept(Code.OK, node.unknownBlocker(true));
			}
		}));
	}

	/**
	 * One look at all keys. Some take more answers than others; so that the first one
	 * that is busy is reported, what is known of a key waits for those before it.
	 */
	private final class Look {

		private final @Nullable Code[] codes = new Code[AvailabilityCheck.this.nodes.size()];

		private final @Nullable Blocker[] blockers = new Blocker[this.codes.length];

		private int freeKeys;

		private boolean over;

		// OK and the first blocker or null, or the code of a look that failed
		void answered(int index, Code code, @Nullable Blocker blocker) {
			this.codes[index] = code;
			this.blockers[index] = blocker;
			while (!this.over && this.freeKeys < this.codes.length) {
				Code next = this.codes[this.freeKeys];
				Blocker inTheWay = this.blockers[this.freeKeys];
				if (next == null) {
					return;
				}
				if (next != Code.OK || inTheWay != null) {
					this.over = true;
					notFree(next, inTheWay, AvailabilityCheck.this.nodes.get(this.freeKeys).keyNode());
					return;
				}
				this.freeKeys++;
			}
			if (!this.over) {
				seemFree();
			}
		}

	}

}
