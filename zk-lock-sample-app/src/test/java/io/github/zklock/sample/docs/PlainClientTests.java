package io.github.zklock.sample.docs;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The examples without Spring of docs/client.md.
 */
class PlainClientTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seat");

	@Test
	void aClientOnAStartedConnectionLocks() throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = connect(server.getConnectString())) {
			try (LockClient client = ZooKeeperLockClient.builder(curator).build();
					LockHandle handle = client.acquire(SEAT)) {
				assertThat(handle.isHeld()).isTrue();
			}
		}
	}

	private static CuratorFramework connect(String servers) {
		// tag::start[]
		CuratorFramework curator = CuratorFrameworkFactory.newClient(servers, 15_000, 10_000,
				new ExponentialBackoffRetry(100, 5));
		curator.start();
		// end::start[]
		return curator;
	}

	@Test
	void aRaisedSessionTimeoutIsNoticedOnlyWhereTheAskedOneIsKnown() throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(), 200, 10_000,
						new ExponentialBackoffRetry(100, 5))) {
			curator.start();
			try (LockClient client = ZooKeeperLockClient.builder(curator).build()) {
				client.acquire(SEAT).release();
			}
			Duration sessionTimeout = Duration.ofMillis(200);
			// tag::asked[]
			LockSessions sessions = LockSessions.builder(curator).askedSessionTimeout(sessionTimeout).build();
			LockClient client = ZooKeeperLockClient.builder(sessions).build();
			// end::asked[]
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.acquire(SEAT))
				.withStackTraceContaining("raised the session time-out from 200 ms");
			client.close();
			sessions.close();
		}
	}

}
