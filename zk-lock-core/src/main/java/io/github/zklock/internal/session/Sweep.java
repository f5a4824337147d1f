package io.github.zklock.internal.session;

import java.util.Set;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.node.Identity;

/**
 * Deletes nodes of this session that carry our client's id and that nobody tracks:
 * ghosts, which must not exist, but would block everyone until the session ends. Runs
 * after a reconnect, and after a sync. Nodes of other clients on the same session are not
 * touched.
 */
public final class Sweep {

	private static final Logger log = LoggerFactory.getLogger(Sweep.class);

	private final LockSession session;

	private final LockPaths paths;

	private final Identity identity;

	/**
	 * Who was tracked before we asked. What is removed between the question and the
	 * handling of its answer must not be taken for a ghost: at a plain node's path
	 * another client's node may stand by then.
	 */
	private final Set<String> trackedBefore;

	private Sweep(LockSession session, LockPaths paths, Identity identity) {
		this.session = session;
		this.paths = paths;
		this.identity = identity;
		this.trackedBefore = session.trackedIds();
	}

	public static void of(LockSession session, LockPaths paths, Identity identity) {
		Sweep sweep = new Sweep(session, paths, identity);
		session.requests().ephemerals((code, found) -> {
			if (code == Code.OK && found != null) {
				found.forEach(sweep::look);
			}
			else {
				log.debug("Could not list the ephemeral nodes of {}: {}", session, code);
			}
		});
	}

	// The server lists paths with the chroot of the connection string, which is not for
	// us
	// to know: what is ours is found by reading wherever our root occurs in the path.
	private void look(String listed) {
		String below = this.paths.root() + "/";
		for (int at = listed.indexOf(below); at >= 0; at = listed.indexOf(below, at + 1)) {
			lookAt(listed.substring(at));
		}
	}

	private void lookAt(String path) {
		this.session.requests().read(path, null, (code, content, stat) -> {
			String id = Identity.idIn(content);
			if (stat != null && stat.getEphemeralOwner() == this.session.id() && isGhost(id)) {
				log.warn("Removing the lock node {} of this client, which nobody holds or waits with", path);
				this.session.requests().delete(path, (deleted) -> {
					log.debug("Removal of {}: {}", path, deleted);
					if (deleted == Code.OK) {
						this.session.counts().leftovers().increment();
					}
				});
			}
		});
	}

	private boolean isGhost(@Nullable String id) {
		return id != null && this.identity.isOurs(id) && !this.trackedBefore.contains(id)
				&& !this.session.isTracked(id);
	}

}
