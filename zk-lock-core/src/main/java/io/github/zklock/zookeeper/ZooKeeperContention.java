package io.github.zklock.zookeeper;

import java.time.Duration;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

/**
 * Sees who waits for a key in ZooKeeper.
 *
 * @param sessions where to look
 */
record ZooKeeperContention(SessionSource sessions) implements ContentionSource {

	@Override
	public Observer observe(String key) {
		LockSession session = this.sessions.current();
		return (session != null) ? KeyContention.of(session, this.sessions, key) : Observer.NONE;
	}

	@Override
	public WaitingCaller local(String key, LockMode mode, String thread, Duration waited) {
		return this.sessions.identity().asWaiter(key, mode, thread, waited);
	}

}
