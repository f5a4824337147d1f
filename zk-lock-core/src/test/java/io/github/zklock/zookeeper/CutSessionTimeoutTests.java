package io.github.zklock.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.ServerFixture;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server that was started anew with a smaller maximum cuts the time-out of the sessions
 * that come to it. Here it is the same server, whose connections are closed.
 */
@Timeout(60)
class CutSessionTimeoutTests {

	private static final Duration CUT = ServerFixture.SESSION.dividedBy(2);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(TestServers::startOne);

	@Test
	void theLeaseIsThatOfTheShorterSession() throws Exception {
		this.zk.announce("have cut the time-out of this session from %d ms to %d ms"
			.formatted(ServerFixture.SESSION.toMillis(), CUT.toMillis()));
		this.zk.announce("was lost");
		CuratorFramework curator = this.zk.curator(ServerFixture.SESSION);
		ZooKeeperFixture.awaitConnected(curator);
		LockSessions sessions = LockSessions.builder(curator).root(this.zk.root()).build();
		LockClient client = this.zk.closing(ZooKeeperLockClient.builder(sessions).build(), curator);
		try (sessions; client) {
			LockHandle first = client.acquire(request());
			assertThat(sessions.sessionTimeout()).isEqualTo(ServerFixture.SESSION);
			long session = sessions.sessionId();
			this.zk.servers().running().forEach(CutSessionTimeoutTests::cut);
			await().atMost(Actor.PATIENCE).until(() -> {
				first.isHeld();
				return sessions.sessionTimeout().equals(CUT);
			});
			first.release();
			try (LockHandle second = client.acquire(request())) {
				assertThat(second.isHeld()).isTrue();
				assertThat(sessions.sessionId()).as("the same session").isEqualTo(session);
			}
		}
	}

	private static void cut(ZooKeeperServer server) {
		server.setMaxSessionTimeout((int) CUT.toMillis());
		server.getServerCnxnFactory().closeAll(DisconnectReason.SERVER_SHUTDOWN);
	}

	private static LockRequest request() {
		return LockRequest.exclusive("orders").timeout(Duration.ofSeconds(20));
	}

}
