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
 * A place that was made, and not used yet, is remembered across sessions, until our node is
 * in it or nothing more is wanted. What is remembered is confined to the contender's mailbox.
 */
/**
 * Makes the nodes below which a contender's nodes stand: the persistent root, and below
 * it a container for each place, which the servers remove some time after its last child.
 */
final class Places {

	private static final Logger log = LoggerFactory.getLogger(Places.class);

	private static final byte[] EMPTY = {};

	private final ContenderTerms terms;

	private final Set<String> unused = new LinkedHashSet<>();

	Places(ContenderTerms terms) {
		this.terms = terms;
	}

	/**
	 * Makes what is missing.
	 * @param session where
	 * @param places the places to make below the root; none to make the root only
	 * @param then gets OK when everything is there, or the code of what failed
	 */
	void make(LockSession session, List<String> places, Consumer<Code> then) {
		if (places.isEmpty()) {
			makeRoot(session, then);
			return;
		}
		AllAnswers all = new AllAnswers(places.size(), (code) -> made(session, places, then, code));
		for (String place : places) {
			session.requests()
				.create(place, EMPTY, this.terms.acl(place), CreateMode.CONTAINER, (code, path, stat) -> all
					.answered((code == Code.NODEEXISTS) ? Code.OK : code, () -> keep(place, code)));
		}
	}

	private void keep(String place, Code code) {
		if (code == Code.OK) {
			this.terms.steps().execute(() -> this.unused.add(place));
		}
	}

	private void made(LockSession session, List<String> places, Consumer<Code> then, Code code) {
		if (code != Code.NONODE) {
			then.accept(code);
			return;
		}
		makeRoot(session, (rootCode) -> {
			if (rootCode == Code.OK) {
				make(session, places, then);
			}
			else {
				then.accept(rootCode);
			}
		});
	}

	// Creates every node on the way, because only the last one's answer tells.
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
	 * Nothing more is wanted: lets the servers reap the places that never had a child,
	 * which they do not by themselves.
	 * @param session where
	 */
	void leaveUnused(LockSession session) {
		this.unused.forEach((place) -> leaveUnused(session, place));
		this.unused.clear();
	}

	// Gives it a child, for the time of a transaction. Deleting the place would not do:
	// another client's node may stand at its path by then, and there this fails.
	private void leaveUnused(LockSession session, String place) {
		String child = place + "/unused";
		session.requests()
			.multi(List.of(Op.create(child, EMPTY, this.terms.acl(place), CreateMode.PERSISTENT), Op.delete(child, -1)),
					(code, results) -> log.trace("Unused place {}: {}", place, code));
	}

}
