package io.github.zklock.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Servers that give a longer session than was asked for give two ticks, and the lease
 * needs five.
 */
@Timeout(60)
class RaisedSessionTimeoutTests {

	private static final Duration ASKED = Duration.ofMillis(700);

	private static final String RAISED = "raised the session time-out from 700 ms to %d ms"
		.formatted(2 * TestServers.TICK_MILLIS);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(TestServers::startOne);

	@Test
	void noLockIsHadInASessionOfTwoTicksButInTheNextOneThatIsLongEnough() throws Exception {
		this.zk.announce(RAISED);
		CuratorFramework curator = this.zk.curator(ASKED);
		ZooKeeperFixture.awaitConnected(curator);
		LockSessions sessions = LockSessions.builder(curator).root(this.zk.root()).askedSessionTimeout(ASKED).build();
		LockClient client = this.zk.closing(ZooKeeperLockClient.builder(sessions).build(), curator);
		try (sessions; client) {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.acquire(request()))
					.withMessageContaining(RAISED)
					.withMessageContaining("ask for");
			}
			assertThat(this.zk.contenders("orders")).isEmpty();
			this.zk.servers().running().forEach((server) -> server.setMinSessionTimeout((int) ASKED.toMillis()));
			this.zk.expireSession(client);
			await().ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.untilAsserted(() -> client.acquire(request()).release());
			this.zk.expireSession(client);
			client.acquire(request()).release();
		}
	}

	private static LockRequest request() {
		return LockRequest.exclusive("orders").timeout(Duration.ofSeconds(10));
	}

}
