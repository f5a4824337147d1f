package io.github.zklock.zookeeper;

/**
 * Something of ours that is, or may be, in ZooKeeper in one session, and goes with it.
 */
interface SessionMember {

	/**
	 * Returns what tells it from all others of this client.
	 * @return its id
	 */
	String id();

	/**
	 * The session has ended. Called on any thread.
	 */
	void sessionEnded();

}
