package io.github.zklock.zookeeper.contract;

import java.time.Duration;

import io.github.zklock.LockClient;
import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What the chapters are told that look at the servers, too.
 */
interface ServerContract extends LockContract {

	/**
	 * The servers and the clients.
	 */
	ZooKeeperFixture zk();

	@Override
	default ZooKeeperFixture fixture() {
		return zk();
	}

	/**
	 * Opens a client that sends nothing of its own accord for a while, because its
	 * session is long.
	 */
	default LockClient openQuiet() {
		return zk().client().strategy(strategy()).session(Duration.ofMinutes(5)).open();
	}

}
