package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of calls, and of what is held, when a user's ACL provider throws.
 */
@Timeout(60)
class FailingAclProviderTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final Queue<String> refused = new ConcurrentLinkedQueue<>();

	private final AtomicInteger losses = new AtomicInteger();

	private volatile Predicate<String> failing = (path) -> false;

	private LockSessions sessions;

	private LockClient client;

	@BeforeEach
	void open() {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		ZooKeeperFixture.awaitConnected(curator);
		this.sessions = LockSessions.builder(curator)
			.root(this.zk.root())
			.nestedKeys(true)
			.aclProvider(new Failing())
			.build();
		this.client = this.zk.closing(ZooKeeperLockClient.builder(this.sessions).build(), curator);
	}

	@AfterEach
	void close() {
		this.client.close();
		this.sessions.close();
	}

	private void assertFailsAtOnce(LockRequest request) {
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.client.acquire(request.timeout(Duration.ofSeconds(5))))
			.withMessageContaining("could not be made")
			.havingCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessage("planted");
		assertThat(this.refused).hasSize(1);
		assertThat(this.sessions.engineFailures()).isZero();
	}

	@Test
	void aNodeOnTheWayToAKeyFailsTheCallAtOnce() {
		this.failing = (this.zk.root() + "/orders")::equals;
		assertFailsAtOnce(LockRequest.keys(List.of("orders/42", "users/7")));
	}

	@Test
	void theRootFailsACallForSeveralKeysAtOnce() {
		this.failing = this.zk.root()::equals;
		assertFailsAtOnce(LockRequest.keys(List.of("orders", "stock")));
	}

	@Test
	void aKeyNodeThatIsAskedForOnceMoreFailsTheCallAtOnce() {
		// Behind the transaction for both nodes and the first one for the key nodes
		Queue<String> asked = new ConcurrentLinkedQueue<>();
		this.failing = (path) -> path.endsWith("/stock") && asked.add(path) && asked.size() == 3;
		assertFailsAtOnce(LockRequest.keys(List.of("orders", "stock")));
	}

	@Test
	void aWriteThatWasToBeAReadIsHeldAsItIs() throws Exception {
		this.zk.announce("stays a WRITE node");
		LockHandle handle = this.client.acquire(LockRequest.write("orders"));
		this.failing = (path) -> true;
		handle.onLost(this.losses::incrementAndGet);
		handle.downgrade();
		await().until(() -> !this.refused.isEmpty());
		assertThat(OneTry.of(this.zk.client().open(), LockRequest.read("orders"))).isEmpty();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.zk.contenders("orders")).singleElement().asString().contains("__WRIT__");
		assertThat(this.sessions.engineFailures()).isZero();
		handle.releaseAsync().join();
		assertThat(this.losses).hasValue(0);
	}

	private final class Failing extends DefaultACLProvider {

		@Override
		public List<ACL> getAclForPath(String path) {
			if (FailingAclProviderTests.this.failing.test(path)) {
				FailingAclProviderTests.this.refused.add(path);
				throw new IllegalStateException("planted");
			}
			return super.getAclForPath(path);
		}

	}

}
