package io.github.zklock.zookeeper;

import io.github.zklock.LockClient;
import io.github.zklock.internal.session.LockSession;

/**
 * Lets the fault tests look into a client, from the package of the client because what it
 * shows is not public.
 */
public final class OpenWork {

	private OpenWork() {
	}

	/**
	 * Counts what a client has open.
	 * @param client the client
	 * @return the number of its acquisitions under way, holds, cohorts and contenders
	 */
	public static int of(LockClient client) {
		return ((ZooKeeperLockClient) client).openCount();
	}

	/**
	 * Counts the steps of a client's engine that failed.
	 * @param client the client
	 * @return how many there were; zero where all is well
	 */
	public static long engineFailures(LockClient client) {
		return ((ZooKeeperLockClient) client).parts().source().failures().count();
	}

	/**
	 * Returns the session of a client.
	 * @param client the client
	 * @return its id, or zero if there is none
	 */
	public static long sessionId(LockClient client) {
		LockSession session = ((ZooKeeperLockClient) client).parts().source().current();
		return (session != null) ? session.id() : 0;
	}

}
