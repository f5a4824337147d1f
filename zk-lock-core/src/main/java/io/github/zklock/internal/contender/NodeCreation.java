package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.contender.TransactionChoice.Kind;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;

/**
 * Makes the nodes of a contender.
 */
final class NodeCreation implements ForeignNodeWait.Host {

	/*-
	 * How the nodes of a contender come into being, in one session. Part of the contender's state
	 * machine, in its serial executor.
	 *
	 *   CHECKING    (tryOnce only) looks before anything is written
	 *   ASKING      one transaction is under way, of the kind that `TransactionChoice` chose; and
	 *               after it the lists of the queues, a few with each request, unless nobody can be
	 *               queued before us
	 *   FINDING     its answer was lost: our nodes are looked for after the commit barrier, each by
	 *               its own id where it would be, and whatever the caller has done meanwhile
	 *   MAKING      the root, or key nodes, are being made
	 *   FOREIGN_NODE another node is, or may be, where ours should be, or above; nothing of ours is in ZooKeeper
	 *   PAUSING     asks again in a moment; nothing of ours is in ZooKeeper
	 *   OVER        the contender is queued, or has left
	 *
	 * I1: the answer to a transaction is always waited for, whatever the caller does, because only it shows whether
	 *     there is a node to delete; and that to a look, because it is kept until then. A lost one is settled by FINDING
	 *     before anything else is asked; so what is found was made by the last transaction.
	 * I2: the former node is deleted: by the transaction that made ours, or, once that was not handled, by itself.
	 * I3: a key node is made so that the servers reap it if it is never used.
	 */

	private enum Phase {

		CHECKING, ASKING, FINDING, MAKING, FOREIGN_NODE, PAUSING, OVER

	}

	private final Host contender;

	private final LockSession session;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockNodes nodes;

	private final NodeFacts first;

	private final KeyNodes keyNodes;

	private final TransactionChoice choice;

	private Phase phase = Phase.OVER;

	private @Nullable AvailabilityCheck check;

	private @Nullable ForeignNodeWait foreignNode;

	private int refusals;

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
		boolean looks = this.phase == Phase.CHECKING && this.check != null && !this.check.isAnswered();
		return !looks && this.phase != Phase.ASKING && this.phase != Phase.FINDING && this.phase != Phase.MAKING;
	}

	/** The session has ended, and with it all that was made or asked for. */
	void abandon() {
		enter(Phase.OVER);
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
		this.check = new AvailabilityCheck(this.session, this.terms, this.reports, this.rounds.present(),
				this.nodes.facts(), this::ask);
		this.check.begin();
	}

	// --- asking ---

	private void ask() {
		if (this.reports.areClosed()) {
			this.contender.over();
			return;
		}
		int current = enter(Phase.ASKING);
		try {
			this.nodes.entering();
			switch (this.choice.next()) {
				case ALONE -> create(current);
				case WITH_KEY_NODE -> multi(current, NodeTransaction.withKeyNode(this.terms, this.first));
				case INSTEAD -> multi(current, NodeTransaction.instead(this.terms, this.first, this.choice.former()));
				case TOGETHER -> multi(current, NodeTransaction.together(this.terms, this.nodes.facts()));
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

	private void create(int round) {
		this.session.requests()
			.create(this.first.createPath(), this.first.content(), this.terms.acl(this.first.keyNode()),
					this.first.createMode(), (code, path, stat) -> this.terms.steps().execute(() -> {
						if (code == Code.OK && path != null && stat != null) {
							this.nodes.created(List.of(path), stat, false);
						}
						this.rounds.step(round, () -> answered(code, this.first));
					}));
	}

	private void multi(int round, NodeTransaction transaction) {
		this.session.requests().multi(transaction.ops(), (code, results) -> this.terms.steps().execute(() -> {
			if (code == Code.OK && results != null) {
				this.nodes.created(transaction.paths(results), transaction.stat(results), transaction.makesKeyNode());
			}
			this.rounds.step(round, () -> answered(code, transaction.failed(results)));
		}));
	}

	private void askIn(long nanos) {
		in(nanos, Phase.PAUSING, this::ask);
	}

	private void in(long nanos, Phase until, Runnable step) {
		if (nanos == 0) {
			step.run();
		}
		else {
			enter(until);
			this.session.later(nanos, this.rounds.bind(step));
		}
	}

	private void answered(Code code, NodeFacts failed) {
		switch (ResultKind.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					made();
				}
				else {
					notMade(code, failed);
				}
			}
			case LOST -> {
				this.reports.disturbed(code, this.first.keyNode());
				findAfterCommit();
			}
			case REFUSED -> {
				if (this.choice.leaveOut()) {
					ask();
				}
				else if (failed.isUnnumbered()) {
					foreignNodeAt(code, failed, List.of());
				}
				else {
					this.reports.refused(code, failed.keyNode());
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
	private void notMade(Code code, NodeFacts failed) {
		switch (this.choice.last()) {
			case WITH_KEY_NODE -> {
				if (code == Code.NODEEXISTS) {
					this.terms.keyNodeCache().seenUnexpectedly(this.first.key());
					askIn(this.choice.pause());
				}
				else if (code == Code.NONODE) {
					makeKeyNodes(List.of());
				}
				else {
					foreignNodeAt(code, this.first, this.terms.above());
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
				if (code == Code.NOCHILDRENFOREPHEMERALS && failed.isUnnumbered()) {
					foreignNodeAt(code, this.first, this.terms.above());
				}
				else if (code != Code.NONODE) {
					foreignNodeAt(code, failed, List.of());
					if (code == Code.NOCHILDRENFOREPHEMERALS) {
						this.reports.blocked(failed.unknownBlocker(true));
					}
				}
				else if (this.choice.needsKeyNode()) {
					makeKeyNodes(failed.isUnnumbered() ? List.of() : this.nodes.keyNodes());
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
			.bind(() -> this.nodes.find((code, count) -> this.rounds.step(current, () -> found(code, count)))));
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
			this.session.afterRefusal(this.refusals++, this.rounds.bind(this::findAfterCommit));
		}
		else {
			in(this.choice.pauseAfterLoss(), Phase.FINDING, this::findAfterCommit);
		}
	}

	// --- making key nodes ---

	private void makeKeyNodes(List<String> keyNodes) {
		if (this.reports.areClosed()) {
			this.contender.over();
			return;
		}
		int current = enter(Phase.MAKING);
		this.keyNodes.make(this.session, keyNodes,
				(code) -> this.rounds.step(current, () -> keyNodesMade(code, keyNodes)),
				(failure) -> this.rounds.step(current, () -> this.reports.unsendable(failure)));
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
			in(this.choice.pauseAfterLoss(), Phase.PAUSING, () -> {
				enter(Phase.MAKING);
				this.session.afterCommit(this.rounds.bind(() -> makeKeyNodes(keyNodes)));
			});
		}
		else if (code == Code.NONODE && this.terms.chroot().isEmpty()) {
			askIn(this.choice.pause());
		}
		else if (code == Code.NOCHILDRENFOREPHEMERALS) {
			foreignNodeAt(code, this.first, this.terms.above());
		}
		else if (ResultKind.of(code) != ResultKind.ENDED) {
			this.reports.refused(code, this.terms.root());
		}
	}

	// --- a foreign node ---

	private void foreignNodeAt(Code code, NodeFacts node, List<String> above) {
		if (this.reports.areClosed()) {
			this.contender.over();
			return;
		}
		enter(Phase.FOREIGN_NODE);
		this.foreignNode = new ForeignNodeWait(this, this.rounds, this.reports, this.nodes, node, above,
				this.terms.root());
		this.foreignNode.await(code);
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
	public void nothingAbove() {
		in(this.choice.pause(), Phase.PAUSING, () -> makeKeyNodes(List.of()));
	}

	@Override
	public void unseen(Code code, NodeFacts node) {
		if (ResultKind.of(code) == ResultKind.REFUSED) {
			this.reports.refused(code, node.keyNode());
		}
		else {
			this.reports.disturbed(code, node.keyNode());
			this.session.afterCommit(this.rounds.bind(() -> askIn(this.choice.pauseAfterLoss())));
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
