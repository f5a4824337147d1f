package io.github.zklock.zookeeper;

import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.node.NodeContent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a change costs, as nodes say to others. What clients make of it is shown by
 * {@code ClientCostsTests}, and by {@code FarClientIT} where they are far.
 */
@Timeout(60)
class ChangeCostTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void aNodeSaysHowLongWritesTakeOnceSomeWereAnswered() throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		try (LockClient client = ZooKeeperLockClient.builder(curator).root(this.zk.root()).build()) {
			assertThat(saidByTheNodeOf(client, curator)).as("nothing was measured").isEqualTo(Long.MAX_VALUE);
			for (int i = 0; i < 20; i++) {
				client.acquire(LockRequest.exclusive("key " + i)).release();
			}
			assertThat(saidByTheNodeOf(client, curator)).isBetween(TimeUnit.MICROSECONDS.toNanos(1),
					TimeUnit.SECONDS.toNanos(10));
		}
	}

	private long saidByTheNodeOf(LockClient client, CuratorFramework curator) throws Exception {
		try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(handle.isHeld()).isTrue();
			return NodeContent.writeNanos(curator.getData().forPath(this.zk.contenders(KEY).get(0)));
		}
	}

}
