package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Identity;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.spi.Obstacle;

/**
 * Waits for the node that stands at a key's place itself: in the way of a plain node, or,
 * because an ephemeral node can have no children, in the way of a line.
 */
public final class Obstruction implements NodeWatch.Listener {

	private final LockSession session;

	private final Seat seat;

	private final Outcome outcome;

	private @Nullable Registration registration;

	public Obstruction(LockSession session, Seat seat, Outcome outcome) {
		this.session = session;
		this.seat = seat;
		this.outcome = outcome;
	}

	public void await() {
		this.registration = this.session.watches().watchNode(this.seat.place(), this);
	}

	public void stop() {
		if (this.registration != null) {
			this.registration.leave();
		}
	}

	@Override
	public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
		this.seat.step(() -> {
			if (stat == null) {
				return;
			}
			if (stat.getEphemeralOwner() == 0) {
				this.seat.joinLine();
				stop();
				this.outcome.place();
			}
			else if (this.seat.isPlain() && this.seat.isOurs(content, stat)) {
				stop();
				this.outcome.ours();
			}
			else {
				this.outcome
					.blocked(new Obstacle(this.seat.key(), Identity.who(content, this.seat.place()), true, null));
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
	public interface Outcome {

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
