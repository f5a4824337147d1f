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
import io.github.zklock.spi.Obstacle;

/**
 * Waits for the node that stands at a key's place itself: in the way of a plain node, or,
 * because an ephemeral node can have no children, in the way of a line.
 */
final class Obstruction implements NodeWatch.Listener {

	private final LockSession session;

	private final NodeFacts node;

	private final Executor steps;

	private final Outcome outcome;

	private @Nullable Registration registration;

	Obstruction(LockSession session, NodeFacts node, Executor steps, Outcome outcome) {
		this.session = session;
		this.node = node;
		this.steps = steps;
		this.outcome = outcome;
	}

	void await() {
		this.registration = this.session.watches().watchNode(this.node.place(), this);
	}

	void stop() {
		if (this.registration != null) {
			this.registration.leave();
		}
	}

	@Override
	public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
		this.steps.execute(() -> {
			if (stat == null) {
				return;
			}
			if (stat.getEphemeralOwner() == 0) {
				this.node.joinLine();
				stop();
				this.outcome.place();
			}
			else if (this.node.isPlain() && this.node.isOurs(content, stat, this.session.id())) {
				stop();
				this.outcome.ours();
			}
			else {
				this.outcome.blocked(this.node.holder(content));
			}
		});
	}

	@Override
	public void notWatching(Code code) {
		if (code == Code.NONODE) {
			this.outcome.gone();
		}
		else {
			this.outcome.unseen(code);
		}
	}

	@Override
	public void changed(EventType type) {
		this.outcome.gone();
	}

	/** What becomes of the obstruction. Called on any engine thread. */
	interface Outcome {

		/** It has gone, or has changed: enter again. */
		void gone();

		/** It is a place: enter its line. */
		void place();

		/** It is our own node, whose create's answer was lost. */
		void ours();

		/**
		 * Another contender's node is there.
		 * @param obstacle whose
		 */
		void blocked(Obstacle obstacle);

		/**
		 * There was no answer.
		 * @param code what came instead
		 */
		void unseen(Code code);

	}

}
