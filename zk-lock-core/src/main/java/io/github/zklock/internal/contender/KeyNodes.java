package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;

/**
 * Makes the nodes above a contender's nodes: the persistent root, and below it a
 * container for each key, and for each segment of it where keys are paths, which the
 * servers remove some time after its last child.
 */
final class KeyNodes {

	/*-
	 * A key node is made with a child that the same transaction deletes: servers reap a
	 * container only if it ever had a child, and who wants it may leave, lose its session or
	 * die before its own node is in it. To delete a key node that is not used would not do: another
	 * client's node may be at its path by then.
	 *
	 * A server checks whether a node may be made before it looks whether it is there. So a refusal is
	 * believed only of a node that is missing; to look costs a request, and needs no right.
	 *
	 * ACLs are asked for when they are needed, so some are behind an answer, where no step of the contender
	 * would notice what the user's provider throws.
	 */

	private static final byte[] EMPTY = {};

	private final ContenderTerms terms;

	KeyNodes(ContenderTerms terms) {
		this.terms = terms;
	}

	/**
	 * Makes what is missing.
	 * @param session where
	 * @param keyNodes the key nodes to make below the root; none to make only what is
	 * above
	 * @param then gets OK when everything is there, or the code of what failed
	 * @param unsendable gets instead what kept a request from being made
	 */
	void make(LockSession session, List<String> keyNodes, Consumer<Code> then, Consumer<RuntimeException> unsendable) {
		try {
			if (keyNodes.isEmpty()) {
				makeRoot(session, then);
			}
			else {
				makeBelowRoot(session, keyNodes, (code) -> made(session, keyNodes, then, unsendable, code));
			}
		}
		catch (RuntimeException ex) {
			unsendable.accept(ex);
		}
	}

	private void makeBelowRoot(LockSession session, List<String> keyNodes, Consumer<Code> then) {
		AllAnswers all = new AllAnswers(session.failures(), keyNodes.size(), then);
		for (String keyNode : keyNodes) {
			session.requests().multi(reapable(keyNode), (code, results) -> isThere(session, keyNode, all, code));
		}
	}

	private List<Op> reapable(String keyNode) {
		String child = keyNode + "/unused";
		List<ACL> acl = this.terms.acl(keyNode);
		return List.of(Op.create(keyNode, EMPTY, acl, CreateMode.CONTAINER),
				Op.create(child, EMPTY, acl, CreateMode.PERSISTENT), Op.delete(child, -1));
	}

	private void made(LockSession session, List<String> keyNodes, Consumer<Code> then,
			Consumer<RuntimeException> unsendable, Code code) {
		if (code != Code.NONODE) {
			then.accept(code);
			return;
		}
		make(session, List.of(), (rootCode) -> {
			if (rootCode == Code.OK) {
				make(session, keyNodes, then, unsendable);
			}
			else {
				then.accept(rootCode);
			}
		}, unsendable);
	}

	/**
	 * Creates every node on the way, because only the last one's answer says whether it
	 * is there. NoNode is the end only if the topmost one has nothing above it: the path
	 * at the end of the connect string does not exist.
	 * @param session where
	 * @param done gets OK when the root is there, or why not
	 */
	private void makeRoot(LockSession session, Consumer<Code> done) {
		String root = this.terms.root();
		AtomicReference<@Nullable Code> above = new AtomicReference<>();
		for (int slash = root.indexOf('/', 1); slash > 0; slash = root.indexOf('/', slash + 1)) {
			String ancestor = root.substring(0, slash);
			session.requests()
				.create(ancestor, EMPTY, this.terms.acl(ancestor), CreateMode.PERSISTENT, (code, path, stat) -> {
					if (code != Code.OK && code != Code.NODEEXISTS) {
						above.compareAndSet(null, code);
					}
				});
		}
		List<String> between = this.terms.between();
		AllAnswers all = new AllAnswers(session.failures(), 1 + between.size(), done);
		session.requests().create(root, EMPTY, this.terms.acl(root), CreateMode.PERSISTENT, (code, path, stat) -> {
			Code known = above.get();
			isThere(session, root, all, (code == Code.NONODE && known != null) ? known : code);
		});
		// One that is missing above another is seen by who needs it
		between.forEach((path) -> session.requests()
			.multi(reapable(path),
					(code, results) -> isThere(session, path, all, (code == Code.NONODE) ? Code.OK : code)));
	}

	private static void isThere(LockSession session, String path, AllAnswers all, Code code) {
		if (ResultKind.of(code) != ResultKind.REFUSED) {
			answered(all, (code == Code.NODEEXISTS) ? Code.OK : code);
			return;
		}
		session.requests().exists(path, (seen, stat) -> answered(all, (seen == Code.NONODE) ? code : seen));
	}

	private static void answered(AllAnswers all, Code code) {
		all.answered(code, () -> {
		});
	}

}
