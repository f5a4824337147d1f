package io.github.zklock.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Where no lock can ever be had, callers are told so at once.
 */
@Timeout(60)
class UnusableCuratorTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").timeout(Duration.ofMinutes(2));

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockClient client(CuratorFramework curator) {
		return ZooKeeperLockClient.builder(curator).root(this.zk.root()).build();
	}

	@Test
	void aHandleThatForgetsItsWatches() {
		this.zk.announce("forgets watches when it reconnects");
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
		CuratorFramework curator = this.zk.curator(
				CuratorFrameworkFactory.builder().sessionTimeoutMs(6000).zkClientConfig(config),
				this.zk.servers().connectString());
		ZooKeeperFixture.awaitConnected(curator);
		try (LockClient client = client(curator)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.acquire(REQUEST))
				.withMessageContaining("zookeeper.disableAutoWatchReset=true");
		}
	}

	@Test
	void aCuratorThatIsClosed() throws Exception {
		this.zk.announce("The CuratorFramework of the lock client is closed");
		this.zk.curator(ZooKeeperFixture.SESSION);
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder().sessionTimeoutMs(6000),
				this.zk.servers().connectString());
		ZooKeeperFixture.awaitConnected(curator);
		try (LockClient client = client(curator)) {
			client.acquire(REQUEST).release();
			Actor waiting = this.zk.actor();
			curator.close();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.acquire(REQUEST))
				.withMessageContaining("The CuratorFramework of the lock client is closed");
			assertThat(waiting.call(() -> client.tryAcquire(REQUEST))).failsWithin(Actor.PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("The CuratorFramework of the lock client is closed");
		}
	}

	@Test
	void aSessionTimeoutThatNobodyCanHave() {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		LockSessions.Builder builder = LockSessions.builder(curator);
		assertThatIllegalArgumentException().isThrownBy(() -> builder.askedSessionTimeout(Duration.ZERO));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> builder.askedSessionTimeout(Duration.ofSeconds(Long.MAX_VALUE)))
			.withMessageContaining("24 days");
	}

}
