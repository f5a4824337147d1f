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
 * Servers that give a longer session than was asked for give their minimum, by default
 * two ticks, and the lease needs five.
 */
@Timeout(60)
class RaisedSessionTimeoutTests {

	private static final Duration ASKED = ZooKeeperFixture.SESSION;

	private static final Duration GIVEN = ASKED.plusSeconds(2);

	private static final String RAISED = "raised the session time-out from %d ms to %d ms".formatted(ASKED.toMillis(),
			GIVEN.toMillis());

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(TestServers::startOne);

	@Test
	void noLockIsHadInASessionThatWasRaisedButInTheNextOneThatWasNot() throws Exception {
		this.zk.announce(RAISED);
		minSessionTimeout(GIVEN);
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
			minSessionTimeout(ASKED);
			this.zk.expireSession(client);
			await().ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.untilAsserted(() -> client.acquire(request()).release());
			this.zk.expireSession(client);
			client.acquire(request()).release();
		}
	}

	private void minSessionTimeout(Duration timeout) {
		this.zk.servers().running().forEach((server) -> server.setMinSessionTimeout((int) timeout.toMillis()));
	}

	private static LockRequest request() {
		return LockRequest.exclusive("orders").timeout(Duration.ofSeconds(10));
	}

}
