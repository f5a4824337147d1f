package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Queues that one request lists, where a packet has no room for all of them.
 */
@Timeout(60)
class JointListsTests {

	private static final int MOST_BYTES = 16 * 1024;

	private static final List<String> KEYS = IntStream.range(0, 8).mapToObj((i) -> "orders-" + i).toList();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void queuesThatAreTooLongForOneAnswerCostOneConnectionAndAreReadOneByOneThen() throws Exception {
		for (String key : KEYS) {
			for (int i = 0; i < 40; i++) {
				this.zk.plant(this.zk.keyNode(key) + "/" + "no-contender-".repeat(8) + i, CreateMode.PERSISTENT);
			}
		}
		ZKClientConfig bounded = new ZKClientConfig();
		bounded.setProperty(ZKConfig.JUTE_MAXBUFFER, "" + MOST_BYTES);
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder().zkClientConfig(bounded),
				this.zk.servers().connectString());
		AtomicInteger losses = new AtomicInteger();
		curator.getConnectionStateListenable().addListener((same, state) -> {
			if (state == ConnectionState.SUSPENDED) {
				losses.incrementAndGet();
			}
		});
		LockClient client = this.zk.client().curator(curator).open();
		for (int i = 0; i < 3; i++) {
			try (LockHandle handle = client.acquire(LockRequest.keys(KEYS).timeout(Duration.ofSeconds(20)))) {
				assertThat(handle.isHeld()).isTrue();
			}
			await().untilAsserted(() -> assertThat(losses).hasValue(1));
		}
	}

}
