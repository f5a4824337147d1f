package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Tag;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract, kept by the strategy {@code naive} on three servers.
 */
@Tag("slow")
class NaiveOnThreeServersLockContractTests extends LockContractTests {

	NaiveOnThreeServersLockContractTests() {
		super("naive", ZooKeeperFixture.onThreeServers());
	}

}
