package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.contender.TransactionChoice.Kind;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;

/*
 * How the nodes of a contender come into being, in one session. Part of the contender's state
 * machine, in its serial executor.
 *
 *   CHECKING    (tryOnce only) looks before anything is written
 *   ASKING      one transaction is under way, of one of these kinds:
 *                 ALONE       create, and behind it the list of the queue
 *                 WITH_KEY_NODE multi(create key node, create node), if the key node is not
 *                             known to be there; no list, for nobody can be queued before us
 *                 INSTEAD     multi(create node, delete the former node), and the list
 *                 TOGETHER    multi of all nodes of several keys, and their lists
 *               which one is chosen by `TransactionChoice`
 *   FINDING     its answer was lost: our nodes are looked for after the commit barrier, each by
 *               its own id where it would be, and whatever the caller has done meanwhile
 *   MAKING      the root, or key nodes, are being made
 *   FOREIGN_NODE another node is where ours should be; nothing of ours is in ZooKeeper
 *   PAUSING     asks again in a moment; nothing of ours is in ZooKeeper
 *   OVER        the contender is queued, or has left
 *
 * ALONE and WITH_KEY_NODE follow each other: NoNode shows the one that there is no key
 * node, NodeExists shows the other one that there is. Each round of that circle needs another
 * client that has made or removed the key node meanwhile; a client removes one only if it has
 * not used it lately, so that the circle ends after at most one round for each of the others.
 * If it does not, for whatever reason, there is a pause in each round, and it grows.
 *
 * I1: the answer to a transaction is always waited for, whatever the caller does, because
 *     only it shows whether there is a node to delete. A lost one is settled by FINDING
 *     before anything else is asked; so what is found was made by the last transaction.
 * I2: the former node is deleted: by the transaction that made ours, or by itself
 *     as soon as that is known not to have been handled.
 * I3: a key node is made so that the servers reap it if it is never used.
 */
/**
 * Makes the nodes of a contender.
 */
final class NodeCreation implements ForeignNodeWait.Host {

	private enum Phase {

		CHECKING, ASKING, FINDING, MAKING, FOREIGN_NODE, PAUSING, OVER

	}

	private final Host contender;

	private final LockSession session;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockNodes nodes;

	private final NodeFacts first;

	private final NodeTransactions requests;

	private final KeyNodes keyNodes;

	private final TransactionChoice choice;

	private Phase phase = Phase.OVER;

	private @Nullable ForeignNodeWait foreignNode;

	private final Rounds rounds;

	/**
	 * Creates one that has not begun.
	 * @param contender whose nodes are made
	 * @param terms what it wants
	 * @param reports what it reports to
	 * @param nodes what is made
	 * @param keyNodes makes the key nodes for that
	 * @param former what is to be deleted by the same transaction, or null
	 */
	NodeCreation(Host contender, ContenderTerms terms, ContenderReports reports, LockNodes nodes, KeyNodes keyNodes,
			@Nullable LockNodes former) {
		this.contender = contender;
		this.terms = terms;
		this.reports = reports;
		this.rounds = new Rounds(terms.steps());
		this.session = nodes.session();
		this.nodes = nodes;
		this.first = nodes.first();
		this.requests = new NodeTransactions(this.session, terms, nodes.lockNodes());
		this.keyNodes = keyNodes;
		this.choice = new TransactionChoice(terms, nodes, former);
	}

	private int enter(Phase next) {
		this.phase = next;
		return this.rounds.next();
	}

	/**
	 * Returns whether it can be given up at once.
	 * @return false if the answer to something must be awaited first
	 */
	boolean isIdle() {
		return switch (this.phase) {
			case CHECKING, FOREIGN_NODE, PAUSING, OVER -> true;
			case ASKING, FINDING, MAKING -> false;
		};
	}

	/** The session has ended, and with it all that was made or asked for. */
	void abandon() {
		enter(Phase.OVER);
		this.choice.forgetFormer();
	}

	/** Nothing more is to be made. */
	void close() {
		enter(Phase.OVER);
		if (this.foreignNode != null) {
			this.foreignNode.stop();
			this.foreignNode = null;
		}
		this.choice.removeFormer();
	}

	/** Makes the nodes, or looks first whether that is worth while. */
	void begin() {
		if (!this.terms.isTryOnce()) {
			ask();
			return;
		}
		enter(Phase.CHECKING);
		new AvailabilityCheck(this.session, this.terms, this.reports, this.rounds, this.nodes.facts()).begin(this::ask);
	}

	// --- asking ---

	private void ask() {
		if (this.reports.areClosed()) {
			this.contender.over();
			return;
		}
		int current = enter(Phase.ASKING);
		NodeTransactions.Then then = (code, index) -> this.rounds.step(current, () -> answered(code, index));
		try {
			switch (this.choice.next()) {
				case ALONE -> this.requests.create(then);
				case WITH_KEY_NODE -> this.requests.createWithKeyNode(then);
				case INSTEAD -> this.requests.createInstead(this.choice.former(), then);
				case TOGETHER -> this.requests.createAll(then);
			}
		}
		catch (RuntimeException ex) {
			this.reports.unsendable(ex);
			return;
		}
		if (this.choice.last() != Kind.WITH_KEY_NODE) {
			this.nodes.look();
		}
	}

	private void askIn(long nanos) {
		if (nanos == 0) {
			ask();
			return;
		}
		enter(Phase.PAUSING);
		this.session.later(nanos, this.rounds.bind(this::ask));
	}

	private void answered(Code code, int index) {
		switch (ResultKind.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					made();
				}
				else {
					notMade(code, index);
				}
			}
			case LOST -> {
				this.reports.disturbed(code, this.first.keyNode());
				findAfterCommit();
			}
			case REFUSED -> {
				if (this.choice.last() == Kind.WITH_KEY_NODE) {
					this.choice.refuseKeyNode();
					ask();
				}
				else if (this.choice.last() == Kind.INSTEAD) {
					this.choice.removeFormer();
					ask();
				}
				else {
					this.reports.refused(code, this.nodes.facts().get(index).keyNode());
				}
			}
			case ENDED -> {
			}
		}
	}

	private void made() {
		enter(Phase.OVER);
		this.choice.formerIsGone();
		this.terms.keyNodeSeen(this.first, true);
		this.contender.entered();
	}

	// Nothing was handled. What was in the way may be gone by now, so the request is
	// sent again.
	private void notMade(Code code, int index) {
		switch (this.choice.last()) {
			case WITH_KEY_NODE -> {
				if (code == Code.NODEEXISTS) {
					this.terms.keyNodeSeen(this.first, true);
					askIn(this.choice.pause());
				}
				else if (code == Code.NONODE) {
					makeKeyNodes(List.of());
				}
				else {
					this.reports.refused(code, this.first.keyNode());
				}
			}
			case INSTEAD -> {
				// NoNode: the former node has gone, perhaps with its key node.
				if (code == Code.NONODE) {
					this.choice.formerIsGone();
				}
				this.choice.removeFormer();
				askIn(this.choice.pause());
			}
			case ALONE, TOGETHER -> {
				NodeFacts failed = this.nodes.facts().get(index);
				if (code == Code.NOCHILDRENFOREPHEMERALS && failed.isUnnumbered()) {
					this.reports.refused(code, this.terms.root());
				}
				else if (code != Code.NONODE) {
					foreignNodeAt(failed);
					if (code == Code.NOCHILDRENFOREPHEMERALS) {
						this.reports.blockedByUnknown(failed, true);
					}
				}
				else if (this.choice.needsKeyNode()) {
					makeKeyNodes(this.nodes.keyNodes());
				}
				else {
					this.terms.keyNodeSeen(this.first, false);
					askIn(this.choice.pause());
				}
			}
		}
	}

	// --- finding ---

	@Override
	public void findAfterCommit() {
		int current = enter(Phase.FINDING);
		this.session.afterCommit(this.rounds
			.bind(() -> this.requests.find((code, count) -> this.rounds.step(current, () -> found(code, count)))));
	}

	private void found(Code code, int count) {
		if (code == Code.OK && count == 0) {
			askIn(this.reports.areClosed() ? 0 : this.choice.pauseAfterLoss());
		}
		else if (code == Code.OK) {
			if (this.choice.last() == Kind.WITH_KEY_NODE) {
				this.first.madeKeyNode();
			}
			this.nodes.look();
			if (count < this.nodes.facts().size()) {
				this.nodes.miss();
			}
			if (this.reports.areClosed()) {
				this.session.counters().orphans().add(count);
			}
			made();
		}
		else if (ResultKind.of(code) == ResultKind.REFUSED) {
			// There may be nodes, which only a later look can show
			this.reports.fail(code, this.first.keyNode());
			this.session.later(this.choice.pauseAfterRefusal(), this.rounds.bind(this::findAfterCommit));
		}
		else {
			findIn(this.choice.pauseAfterLoss());
		}
	}

	private void findIn(long nanos) {
		if (nanos == 0) {
			findAfterCommit();
			return;
		}
		enter(Phase.FINDING);
		this.session.later(nanos, this.rounds.bind(this::findAfterCommit));
	}

	// --- making key nodes ---

	private void makeKeyNodes(List<String> keyNodes) {
		if (this.reports.areClosed()) {
			this.contender.over();
			return;
		}
		int current = enter(Phase.MAKING);
		try {
			this.keyNodes.make(this.session, keyNodes,
					(code) -> this.rounds.step(current, () -> keyNodesMade(code, keyNodes)));
		}
		catch (RuntimeException ex) {
			this.reports.unsendable(ex);
		}
	}

	private void keyNodesMade(Code code, List<String> keyNodes) {
		if (this.reports.areClosed()) {
			ask();
		}
		else if (code == Code.OK) {
			askIn(this.choice.pause());
		}
		else if (ResultKind.of(code) == ResultKind.LOST) {
			this.reports.disturbed(code, this.terms.root());
			enter(Phase.MAKING);
			this.session.afterCommit(this.rounds.bind(() -> makeKeyNodes(keyNodes)));
		}
		else {
			this.reports.refused(code, this.terms.root());
		}
	}

	// --- a foreign node ---

	private void foreignNodeAt(NodeFacts node) {
		if (this.reports.areClosed()) {
			this.contender.over();
			return;
		}
		enter(Phase.FOREIGN_NODE);
		this.foreignNode = new ForeignNodeWait(this, this.rounds, this.reports, this.session, node);
		this.foreignNode.await();
	}

	@Override
	public void foreignNodeGone(boolean keyNode) {
		this.terms.keyNodeSeen(this.first, keyNode);
		if (!keyNode) {
			this.choice.wayIsFree();
		}
		askIn(this.choice.pause());
	}

	@Override
	public void unseen(Code code, NodeFacts node) {
		if (ResultKind.of(code) == ResultKind.REFUSED) {
			this.reports.refused(code, node.keyNode());
		}
		else {
			this.reports.disturbed(code, node.keyNode());
			this.session.afterCommit(this.rounds.bind(() -> askIn(this.choice.pause())));
		}
	}

	/** The contender that enters. */
	interface Host {

		/** Our nodes are there, or have been. */
		void entered();

		/** Nothing more is wanted: removes what is there. */
		void over();

	}

}
