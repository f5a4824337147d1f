package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.client.ListenerDispatcher;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

/**
 * Sees who waits for a key in ZooKeeper.
 *
 * @param sessions where to look
 */
record ZooKeeperContention(SessionSource sessions) implements ContentionSource {

	/**
	 * Creates what a client has open, with handles that are notified of who waits.
	 * @param settings the settings of the client
	 * @param callbacks runs the user's code
	 * @param sessions the client's
	 * @return nothing is open yet
	 */
	static OpenAcquisitions open(ClientSettings settings, Executor callbacks, SessionSource sessions) {
		ListenerDispatcher dispatcher = new ListenerDispatcher(settings.listeners(), callbacks, sessions.clock(),
				sessions.failures(), settings.maxWaitingEvents());
		return new OpenAcquisitions(dispatcher, new ZooKeeperContention(sessions), sessions.deadlines(),
				sessions::servers);
	}

	@Override
	public Observer observe(String key) {
		LockSession session = this.sessions.current();
		return (session != null) ? KeyContention.of(session, this.sessions, key) : Observer.NONE;
	}

	@Override
	public WaitingCaller local(String key, LockMode mode, String thread, Duration waited) {
		ClientIdentity us = this.sessions.identity();
		return new WaitingCaller(key, mode, us.instance(), us.host(), Long.toString(us.pid()), thread, waited, null);
	}

}
