package io.github.zklock.internal.session;

import java.util.Set;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.node.ClientIdentity;

/**
 * Deletes nodes of this session that carry our client's id and that nobody tracks:
 * orphans, which must not exist, but would block everyone until the session ends. Runs
 * after a reconnect, and after the commit barrier. Nodes of other clients on the same
 * session are not touched.
 */
public final class OrphanCleanup {

	private static final Logger log = LoggerFactory.getLogger(OrphanCleanup.class);

	private final LockSession session;

	private final LockPaths paths;

	private final ClientIdentity identity;

	/**
	 * Who was tracked before we asked. What is removed between the question and the
	 * handling of its answer must not be taken for an orphan: at the path of a node
	 * without sequence number another client's node may be by then.
	 */
	private final Set<String> trackedBefore;

	private OrphanCleanup(LockSession session, LockPaths paths, ClientIdentity identity) {
		this.session = session;
		this.paths = paths;
		this.identity = identity;
		this.trackedBefore = session.trackedIds();
	}

	public static void of(LockSession session, LockPaths paths, ClientIdentity identity) {
		OrphanCleanup cleanup = new OrphanCleanup(session, paths, identity);
		session.requests().ephemerals((code, found) -> {
			if (code == Code.OK && found != null) {
				found.forEach(cleanup::look);
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
			String id = ClientIdentity.idIn(content);
			if (stat != null && stat.getEphemeralOwner() == this.session.id() && isOrphan(id)) {
				log.warn("Removing the lock node {} of this client, which nobody holds or waits with", path);
				this.session.requests().delete(path, (deleted) -> {
					log.debug("Removal of {}: {}", path, deleted);
					if (deleted == Code.OK) {
						this.session.counters().orphans().increment();
					}
				});
			}
		});
	}

	private boolean isOrphan(@Nullable String id) {
		return id != null && this.identity.isOurs(id) && !this.trackedBefore.contains(id)
				&& !this.session.isTracked(id);
	}

}
