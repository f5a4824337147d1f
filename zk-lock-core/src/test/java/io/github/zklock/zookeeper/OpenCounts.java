package io.github.zklock.zookeeper;

import io.github.zklock.LockClient;

/**
 * Lets the fixture look into a client.
 */
public final class OpenCounts {

	private OpenCounts() {
	}

	/**
	 * Returns how much a client has open.
	 * @param client the client
	 * @return the number of its acquisitions under way, holds, cohorts and contenders
	 */
	public static int of(LockClient client) {
		return ((ZooKeeperLockClient) client).openCount();
	}

}
