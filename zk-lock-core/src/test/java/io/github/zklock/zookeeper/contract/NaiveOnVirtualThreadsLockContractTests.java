package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.VirtualThreads;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract, kept by the strategy {@code naive} on one server, with callers on virtual
 * threads.
 */
@Tag("slow")
@ExtendWith(VirtualThreads.class)
class NaiveOnVirtualThreadsLockContractTests extends LockContractTests {

	NaiveOnVirtualThreadsLockContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

	@Test
	void callersAreOnVirtualThreads() {
		assertThat(VirtualThreads.isVirtual(Thread.currentThread())).isTrue();
		assertThat(zk().actor().get(() -> VirtualThreads.isVirtual(Thread.currentThread()))).isTrue();
	}

}
