package io.github.zklock.memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.fixture.ClientFixture;
import io.github.zklock.zookeeper.contract.ClientContract;

/**
 * The contract as far as it needs no server, kept by the client that has none.
 */
@Timeout(60)
@Tag("KeyQueues.I1")
class MemoryLockContractTests implements ClientContract {

	@RegisterExtension
	final MemoryFixture memory = new MemoryFixture();

	@Override
	public ClientFixture fixture() {
		return this.memory;
	}

	@Override
	public String strategy() {
		return "sequential";
	}

}
