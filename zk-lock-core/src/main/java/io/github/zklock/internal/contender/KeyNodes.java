package io.github.zklock.internal.contender;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockSession;

/*
 * A key node that was made, and not used yet, is remembered across sessions, until our node is
 * in it or nothing more is wanted. What is remembered is confined to the contender's serial
 * executor.
 */
/**
 * Makes the nodes above a contender's nodes: the persistent root, and below it a
 * container for each key, which the servers remove some time after its last child.
 */
final class KeyNodes {

	private static final Logger log = LoggerFactory.getLogger(KeyNodes.class);

	private static final byte[] EMPTY = {};

	private final ContenderTerms terms;

	private final Set<String> unused = new LinkedHashSet<>();

	KeyNodes(ContenderTerms terms) {
		this.terms = terms;
	}

	/**
	 * Makes what is missing.
	 * @param session where
	 * @param keyNodes the key nodes to make below the root; none to make the root only
	 * @param then gets OK when everything is there, or the code of what failed
	 */
	void make(LockSession session, List<String> keyNodes, Consumer<Code> then) {
		if (keyNodes.isEmpty()) {
			makeRoot(session, then);
			return;
		}
		AllAnswers all = new AllAnswers(session.failures(), keyNodes.size(),
				(code) -> made(session, keyNodes, then, code));
		for (String keyNode : keyNodes) {
			session.requests()
				.create(keyNode, EMPTY, this.terms.acl(keyNode), CreateMode.CONTAINER, (code, path, stat) -> all
					.answered((code == Code.NODEEXISTS) ? Code.OK : code, () -> keep(keyNode, code)));
		}
	}

	private void keep(String keyNode, Code code) {
		if (code == Code.OK) {
			this.terms.steps().execute(() -> this.unused.add(keyNode));
		}
	}

	private void made(LockSession session, List<String> keyNodes, Consumer<Code> then, Code code) {
		if (code != Code.NONODE) {
			then.accept(code);
			return;
		}
		makeRoot(session, (rootCode) -> {
			if (rootCode == Code.OK) {
				make(session, keyNodes, then);
			}
			else {
				then.accept(rootCode);
			}
		});
	}

	// Creates every node on the way, because only the last one's answer says whether it
	// is there.
	private void makeRoot(LockSession session, Consumer<Code> done) {
		String root = this.terms.root();
		for (int slash = root.indexOf('/', 1); slash > 0; slash = root.indexOf('/', slash + 1)) {
			String ancestor = root.substring(0, slash);
			session.requests()
				.create(ancestor, EMPTY, this.terms.acl(ancestor), CreateMode.PERSISTENT, (code, path, stat) -> {
				});
		}
		session.requests()
			.create(root, EMPTY, this.terms.acl(root), CreateMode.PERSISTENT,
					(code, path, stat) -> done.accept((code == Code.NODEEXISTS) ? Code.OK : code));
	}

	/** The contender's nodes are there. */
	void used() {
		this.unused.clear();
	}

	/**
	 * Nothing more is wanted: lets the servers reap the key nodes that never had a child,
	 * which they do not by themselves.
	 * @param session where
	 */
	void leaveUnused(LockSession session) {
		this.unused.forEach((keyNode) -> leaveUnused(session, keyNode));
		this.unused.clear();
	}

	// Gives it a child, for the time of a transaction. Deleting the key node would not
	// do:
	// another client's node may be at its path by then, and there this fails.
	private void leaveUnused(LockSession session, String keyNode) {
		String child = keyNode + "/unused";
		session.requests()
			.multi(List.of(Op.create(child, EMPTY, this.terms.acl(keyNode), CreateMode.PERSISTENT),
					Op.delete(child, -1)), (code, results) -> log.trace("Unused key node {}: {}", keyNode, code));
	}

}
