package io.github.zklock.internal.session;

/**
 * Something of ours that is, or may be, in ZooKeeper in one session, and goes with it.
 */
public interface SessionMember {

	/**
	 * Returns what distinguishes it from all others of this client.
	 * @return its id
	 */
	String id();

	/**
	 * The session has ended. Called on any thread.
	 */
	void sessionEnded();

}
