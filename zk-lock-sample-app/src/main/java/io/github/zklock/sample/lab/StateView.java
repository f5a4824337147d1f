package io.github.zklock.sample.lab;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockSessionStatus;

/**
 * The state of the instance and its tools.
 *
 * @param zookeeper the state of this instance's ZooKeeper session
 * @param tools what is done with the key besides contests; null if that is not allowed
 * here
 * @param notes what happened lately
 */
record StateView(ZooKeeper zookeeper, @Nullable Tools tools, List<Notes.Note> notes) {

	/**
	 * The state of this instance's ZooKeeper session.
	 *
	 * @param state its session's state
	 * @param session its session's id; null if there is none
	 * @param sessionSeconds after what time the servers end it
	 * @param servers where the servers are
	 */
	record ZooKeeper(LockSessionStatus.State state, @Nullable String session, long sessionSeconds, String servers) {

		static ZooKeeper of(LockSessionStatus status) {
			long id = status.sessionId();
			return new ZooKeeper(status.state(), (id != 0) ? "0x" + Long.toHexString(id) : null,
					status.sessionTimeout().toSeconds(), status.servers());
		}

	}

	/**
	 * What is done with the key besides contests.
	 *
	 * @param hand the stage of the lock that is held by hand
	 * @param handToken its fencing token; null if it is not held
	 * @param frozen the stage of the holder that freezes
	 * @param frozenToken its fencing token; null if it holds none
	 */
	record Tools(Hand.Stage hand, @Nullable Long handToken, FrozenHolder.Stage frozen, @Nullable Long frozenToken) {
	}

}
