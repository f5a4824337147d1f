package io.github.zklock.sample.lab;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.autoconfigure.ZkLockProperties;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class KeyWatchTests {

	@Test
	@Tag("slow")
	void aWatchThatCouldNotBeOpenedIsOpenedWhenServersAnswerAgain() throws Exception {
		LabKey key = new LabKey(new ZkLockProperties());
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(),
						new RetryOneTime(100))) {
			curator.start();
			try (ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator).build();
					LockHandle held = client.acquire(LockRequest.exclusive(key.current()))) {
				server.stop();
				KeyWatch watch = new KeyWatch(curator, key);
				watch.want(() -> true);
				await().atMost(Duration.ofSeconds(30)).until(watch::hasFailed);
				server.restart();
				await().atMost(Duration.ofSeconds(30)).until(() -> {
					watch.want(() -> true);
					return watch.queue().size() == 1;
				});
				assertThat(held.key()).isEqualTo(key.current());
				watch.want(() -> false);
				assertThat(watch.queue()).isEmpty();
			}
		}
	}

}
