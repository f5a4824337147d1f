package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is counted when a step of the engine fails, and what callers are given.
 */
@Timeout(60)
class EngineFailuresTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void anErrorOfAnAclProviderFailsItsCallerAndIsCounted() throws Exception {
		this.zk.announce("A step of");
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		ZooKeeperFixture.awaitConnected(curator);
		AtomicBoolean failing = new AtomicBoolean(true);
		try (LockSessions sessions = LockSessions.builder(curator)
			.root(this.zk.root())
			.aclProvider(new Failing(failing))
			.build()) {
			LockClient client = this.zk.closing(ZooKeeperLockClient.builder(sessions).build(), curator);
			assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("orders")))
				.withMessage("The lock engine failed for lock 'orders'")
				.withCauseInstanceOf(NoClassDefFoundError.class);
			assertThat(sessions.engineFailures()).isPositive();
			failing.set(false);
			client.acquire(LockRequest.exclusive("orders")).release();
			client.close();
		}
	}

	private static final class Failing extends DefaultACLProvider {

		private final AtomicBoolean failing;

		private Failing(AtomicBoolean failing) {
			this.failing = failing;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			if (this.failing.get()) {
				throw new NoClassDefFoundError("planted");
			}
			return super.getAclForPath(path);
		}

	}

}
