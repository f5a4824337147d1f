package io.github.zklock.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What callers learn of a server that refuses the credentials of their client, or did.
 */
@Timeout(60)
class RefusedCredentialsTests {

	private static final LockRequest TRY = LockRequest.exclusive("job")
		.timeout(Duration.ZERO)
		.answerTimeout(Actor.PATIENCE);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@BeforeEach
	void expectWarnings() {
		this.zk.announce("refused the credentials");
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void whoComesRightAfterARefusalThatIsOverIsServed(String strategy) throws Exception {
		try (CuratorFramework curator = start(curator());
				LockClient client = this.zk.client().curator(curator).strategy(strategy).open()) {
			client.tryAcquire(TRY).orElseThrow().releaseAsync().join();
			refuseOnce(curator);
			assertThat(client.tryAcquire(TRY)).hasValueSatisfying(LockHandle::release);
		}
	}

	@Test
	void soIsWhoHasHadNoSessionYet() throws Exception {
		try (CuratorFramework curator = start(curator())) {
			await().until(() -> curator.getZookeeperClient().isConnected());
			refuseOnce(curator);
			try (LockClient client = this.zk.client().curator(curator).open()) {
				assertThat(client.tryAcquire(TRY)).hasValueSatisfying(LockHandle::release);
			}
		}
	}

	@Test
	void whoComesWhileItGoesOnIsRefused() {
		try (CuratorFramework curator = start(curator().authorization("unknown", new byte[0]));
				LockClient client = this.zk.client().curator(curator).open()) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> client.tryAcquire(TRY.answerTimeout(Duration.ofHours(1))))
				.withMessageContaining("ZooKeeper refused the credentials of this client");
			assertThat(this.zk.warnings()).containsOnlyOnce("server refused the credentials of this client");
		}
	}

	private CuratorFrameworkFactory.Builder curator() {
		return CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.sessionTimeoutMs((int) ZooKeeperFixture.SESSION.toMillis())
			.retryPolicy(new RetryForever(100));
	}

	private static CuratorFramework start(CuratorFrameworkFactory.Builder builder) {
		CuratorFramework curator = builder.build();
		curator.start();
		return curator;
	}

	// A server refuses what it does not know; the next handle has no such credentials
	private static void refuseOnce(CuratorFramework curator) throws Exception {
		ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
		handle.addAuthInfo("unknown", new byte[0]);
		await().until(() -> handle.getState() == ZooKeeper.States.AUTH_FAILED);
	}

}
