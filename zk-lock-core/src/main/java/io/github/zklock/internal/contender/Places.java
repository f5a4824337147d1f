package io.github.zklock.internal.contender;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockPaths;
import io.github.zklock.internal.session.LockSession;

/**
 * Makes the nodes below which contests happen: the persistent root, and below it a
 * container for each place, which the servers remove some time after its last child.
 */
public final class Places {

	private static final Logger log = LoggerFactory.getLogger(Places.class);

	private static final byte[] EMPTY = {};

	private final LockSession session;

	private final LockPaths paths;

	private final Collection<String> places;

	private final Consumer<String> fresh;

	private final Consumer<Code> then;

	private Places(LockSession session, LockPaths paths, Collection<String> places, Consumer<String> fresh,
			Consumer<Code> then) {
		this.session = session;
		this.paths = paths;
		this.places = places;
		this.fresh = fresh;
		this.then = then;
	}

	/**
	 * Makes what is missing.
	 * @param session where
	 * @param paths names the root
	 * @param places the places to make below the root; none to make the root only
	 * @param fresh gets each place that was not there before, on an engine thread
	 * @param then gets OK when everything is there, or the code of what failed
	 */
	public static void make(LockSession session, LockPaths paths, Collection<String> places, Consumer<String> fresh,
			Consumer<Code> then) {
		new Places(session, paths, places, fresh, then).make();
	}

	private void make() {
		if (this.places.isEmpty()) {
			makeRoot(this.then);
			return;
		}
		AllAnswers all = new AllAnswers(this.places.size(), this::made);
		for (String place : this.places) {
			this.session.requests()
				.create(place, EMPTY, this.paths.acl(place), CreateMode.CONTAINER, (code, path, stat) -> all
					.answered((code == Code.NODEEXISTS) ? Code.OK : code, () -> keep(place, code)));
		}
	}

	private void keep(String place, Code code) {
		if (code == Code.OK) {
			this.fresh.accept(place);
		}
	}

	private void made(Code code) {
		if (code == Code.NONODE) {
			makeRoot((rootCode) -> {
				if (rootCode == Code.OK) {
					make();
				}
				else {
					this.then.accept(rootCode);
				}
			});
		}
		else {
			this.then.accept(code);
		}
	}

	/**
	 * Lets the servers reap a place that never had a child, which they do not by
	 * themselves: gives it one, for the time of a transaction. Deleting the place would
	 * not do: another client's node may stand at its path by then, and there this fails.
	 * @param session where
	 * @param paths gives the ACL
	 * @param place the place
	 */
	public static void leaveUnused(LockSession session, LockPaths paths, String place) {
		String child = place + "/unused";
		session.requests()
			.multi(List.of(Op.create(child, EMPTY, paths.acl(place), CreateMode.PERSISTENT), Op.delete(child, -1)),
					(code, results) -> log.trace("Unused place {}: {}", place, code));
	}

	// Creates every node on the way, because only the last one's answer tells.
	private void makeRoot(Consumer<Code> done) {
		String root = this.paths.root();
		for (int slash = root.indexOf('/', 1); slash > 0; slash = root.indexOf('/', slash + 1)) {
			String ancestor = root.substring(0, slash);
			this.session.requests()
				.create(ancestor, EMPTY, this.paths.acl(ancestor), CreateMode.PERSISTENT, (code, path, stat) -> {
				});
		}
		this.session.requests()
			.create(root, EMPTY, this.paths.acl(root), CreateMode.PERSISTENT,
					(code, path, stat) -> done.accept((code == Code.NODEEXISTS) ? Code.OK : code));
	}

}
