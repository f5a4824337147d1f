package io.github.zklock.internal.contender;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.GrowingPause;

/**
 * Chooses which transaction makes the nodes of a contender.
 */
final class TransactionChoice {

	/*-
	 * What it decides on: whether the nodes are one or several, whether that one is in a
	 * queue, whether there is a former node to be deleted, and what is believed of the key node.
	 * That may be wrong; the answer then shows that, and another kind is chosen the next time.
	 * Confined to the contender's serial executor.
	 *
	 * ALONE and WITH_KEY_NODE follow each other: NoNode shows the one that there is no key
	 * node, NodeExists shows the other one that there is. Each round of that circle needs another
	 * client that has made or removed the key node meanwhile; a client removes one only if it has
	 * not used it lately, so that the circle ends after at most one round for each of the others.
	 * If it does not, for whatever reason, the pauses end it: each time that the nodes are asked
	 * for in vain counts, until another client is seen to have made way; after a few times there
	 * is a pause before the next, and it grows.
	 *
	 * I2 of `NodeCreation` is kept here, with the former node.
	 */

	/** The kinds of transactions. */
	enum Kind {

		/** Creates the only node. */
		ALONE,

		/**
		 * Creates the key node, if it is not known to be there, and the only node in it.
		 */
		WITH_KEY_NODE,

		/** Creates the only node and deletes the former one. */
		INSTEAD,

		/** Creates the nodes of several keys. */
		TOGETHER

	}

	private final ContenderTerms terms;

	private final LockNodes nodes;

	private @Nullable LockNodes former;

	private final GrowingPause circle = new GrowingPause(8, Duration.ofMillis(20), Duration.ofSeconds(1));

	private final GrowingPause loss = new GrowingPause(1, Duration.ofMillis(100), Duration.ofSeconds(5));

	private Kind kind = Kind.ALONE;

	private boolean used;

	private boolean keyNodeRefused;

	/**
	 * Creates a choice that was not made yet.
	 * @param terms what the contender works with
	 * @param nodes what is to be made
	 * @param former what is to be deleted by the same transaction, or null
	 */
	TransactionChoice(ContenderTerms terms, LockNodes nodes, @Nullable LockNodes former) {
		this.terms = terms;
		this.nodes = nodes;
		this.former = former;
	}

	/**
	 * Chooses.
	 * @return the kind that is asked for next
	 */
	Kind next() {
		this.kind = choose();
		return this.kind;
	}

	/**
	 * Returns what was chosen last.
	 * @return the kind that was asked for
	 */
	Kind last() {
		return this.kind;
	}

	/**
	 * Returns how long to wait before asking again, because of an answer.
	 * @return nanoseconds
	 */
	long pause() {
		return this.circle.next();
	}

	/**
	 * Returns how long to wait before asking, or looking, again, because the answer was
	 * lost: perhaps it is the request, or the answer, that costs the connection.
	 * @return nanoseconds
	 */
	long pauseAfterLoss() {
		return this.loss.next();
	}

	/** Another client has made way. */
	void wayIsFree() {
		this.circle.reset();
	}

	/**
	 * The servers refuse what was asked for. Leaves out what can be left out, the key
	 * node or the delete of the former node: it is not asked for again.
	 * @return whether there was something to leave out
	 */
	boolean leaveOut() {
		this.keyNodeRefused |= this.kind == Kind.WITH_KEY_NODE;
		if (this.kind == Kind.INSTEAD) {
			removeFormer();
		}
		return this.kind == Kind.WITH_KEY_NODE || this.kind == Kind.INSTEAD;
	}

	/**
	 * Returns whether the key node is to be made by a request of its own, if it is
	 * missing.
	 * @return whether no transaction is to make it
	 */
	boolean needsKeyNode() {
		return this.kind == Kind.TOGETHER || this.keyNodeRefused || this.nodes.first().isUnnumbered();
	}

	/**
	 * Returns what is to be deleted by the same transaction.
	 * @return the node of the contender before
	 */
	NodeFacts former() {
		return Objects.requireNonNull(this.former).first();
	}

	/** An answer has shown that the former node is gone. */
	void formerIsGone() {
		if (this.former != null) {
			this.former.replaced();
			this.former = null;
		}
	}

	/** No transaction of ours will delete the former node. */
	void removeFormer() {
		if (this.former != null) {
			this.former.removeAfterAll();
			this.former = null;
		}
	}

	private Kind choose() {
		NodeFacts first = this.nodes.first();
		if (!this.nodes.isOne()) {
			return Kind.TOGETHER;
		}
		if (first.isUnnumbered()) {
			return Kind.ALONE;
		}
		if (!this.used) {
			this.used = true;
			this.terms.keyNodeCache().use(first.key());
		}
		if (this.former != null) {
			return Kind.INSTEAD;
		}
		boolean there = this.keyNodeRefused || this.terms.keyNodeCache().isThere(first.key());
		return there ? Kind.ALONE : Kind.WITH_KEY_NODE;
	}

}
