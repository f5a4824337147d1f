package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/**
 * Watches a lock node while it is held, because an operator may delete it. Confined to
 * the contender's serial executor. While the node is being renamed it is not watched, and
 * what is reported of a former path says nothing.
 */
final class OwnNodeWatch {

	private final NodeFacts node;

	private final LockSession session;

	private final Executor steps;

	private final Runnable deleted;

	private @Nullable Registration registration;

	/**
	 * Creates a watch that is not set.
	 * @param node the node
	 * @param session where it is
	 * @param steps runs the contender's steps
	 * @param deleted called, in a step, when the node is found to be gone
	 */
	OwnNodeWatch(NodeFacts node, LockSession session, Executor steps, Runnable deleted) {
		this.node = node;
		this.session = session;
		this.steps = steps;
		this.deleted = deleted;
	}

	/**
	 * Sets the watch, unless it is set.
	 * @param heldSince nanoseconds of the clock; a node that is younger is not watched
	 */
	void begin(long heldSince) {
		String path = this.node.path();
		if (this.registration == null && path != null && !this.node.isRenaming() && this.node.isOlderThan(heldSince)) {
			this.registration = this.session.watches().watchNode(path, new Listener(path));
		}
	}

	/** The node is gone, or is being renamed. */
	void leave() {
		if (this.registration != null) {
			this.registration.leave();
			this.registration = null;
		}
	}

	/** Is notified of what becomes of the node at one path. */
	private final class Listener implements NodeWatch.Listener {

		private final String path;

		Listener(String path) {
			this.path = path;
		}

		private void step(Runnable step) {
			OwnNodeWatch.this.steps.execute(() -> {
				NodeFacts present = OwnNodeWatch.this.node;
				if (!present.isRenaming() && this.path.equals(present.path())) {
					step.run();
				}
			});
		}

		@Override
		public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
			step(() -> {
				NodeFacts present = OwnNodeWatch.this.node;
				if (stat != null && present.isUnnumbered()
						&& !present.isOurs(content, stat, OwnNodeWatch.this.session.id())) {
					OwnNodeWatch.this.deleted.run();
				}
			});
		}

		@Override
		public void notWatching(Code code) {
			changed((code == Code.NONODE) ? EventType.NodeDeleted : EventType.None);
		}

		@Override
		public void changed(EventType type) {
			step(() -> {
				OwnNodeWatch.this.registration = null;
				if (type == EventType.NodeDeleted) {
					OwnNodeWatch.this.deleted.run();
				}
			});
		}

	}

}
