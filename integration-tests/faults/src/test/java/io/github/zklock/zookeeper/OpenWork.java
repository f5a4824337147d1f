package io.github.zklock.zookeeper;

import io.github.zklock.LockClient;

/**
 * Lets the fault tests look into a client, from the package of the client because its
 * count is not public.
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

}
