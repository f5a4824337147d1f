package io.github.zklock.internal.session;

import org.apache.zookeeper.KeeperException.Code;

/**
 * Something that needs a session. Called on any thread.
 */
public interface SessionWaiter {

	/**
	 * There is a session. May be said more than once.
	 * @param session the session
	 */
	void sessionBegan(LockSession session);

	/**
	 * There will be none as long as the servers refuse what this client asks for.
	 * @param code what they said
	 * @param path where the locks are
	 */
	void sessionRefused(Code code, String path);

	/**
	 * There is none yet, because the servers refused what this client asked for shortly
	 * before.
	 * @param code what they said
	 * @param path where the locks are
	 */
	void sessionDelayed(Code code, String path);

	/**
	 * There is one, but no lock can be acquired in it.
	 * @param reason why, as a sentence without its full stop
	 */
	void sessionUnusable(String reason);

}
