package io.github.zklock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.Testable;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * When the root of the locks is looked at.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupCheckTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final String root = "/" + UUID.randomUUID();

	@AutoClose
	private final CuratorFramework curator = CuratorFrameworkFactory.builder()
		.connectString(server.connectString())
		.authorization("digest", "shop:secret".getBytes(StandardCharsets.UTF_8))
		.retryPolicy(new RetryOneTime(100))
		.build();

	private final AskedForAcls acls = new AskedForAcls();

	private final ZkLockStartupCheck check = new ZkLockStartupCheck(this.curator, this.root, false, this.acls, null);

	@BeforeEach
	void makeTheRoot() throws Exception {
		// Its report would be followed by another look
		awaitReport(ConnectionState.CONNECTED, this.curator::start);
		this.curator.create().withACL(Ids.CREATOR_ALL_ACL).forPath(this.root);
	}

	@AfterEach
	void close() {
		this.check.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/%~probe", RootAccess.STAYS })
	void aSessionThatIsLostDuringTheLookAtStartIsFollowedByAnotherLook(String path) {
		this.acls.at(path, () -> reconnect(Testable::injectSessionExpiration));
		this.check.pass();
		await().until(() -> this.acls.looks.get() == 2);
		awaitNoLook();
		assertThat(this.acls.looks).hasValue(2);
		assertThat(this.acls.overlapped).as("two looks at a time").isFalse();
	}

	@Test
	void anotherConnectionOfTheSameSessionIsNotLookedAt() throws Exception {
		this.check.pass();
		reconnect(Testable::closeSocket);
		awaitNoLook();
		this.curator.delete().forPath(this.root + RootAccess.STAYS);
		reconnect(Testable::injectSessionExpiration);
		await().until(() -> this.curator.checkExists().forPath(this.root + RootAccess.STAYS) != null);
		awaitNoLook();
		assertThat(this.acls.looks).hasValue(2);
	}

	@Test
	void nothingIsLookedAtOnceItIsClosed() {
		this.acls.at("/%~probe", () -> {
			reconnect(Testable::injectSessionExpiration);
			this.check.close();
		});
		this.check.passWhenConnected();
		await().until(() -> this.acls.looks.get() > 0);
		awaitNoLook();
		assertThat(this.acls.looks).hasValue(1);
	}

	@Test
	void nothingIsLookedAtWithoutAConnection() {
		try (CuratorFramework unconnected = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(100));
				ZkLockStartupCheck waiting = new ZkLockStartupCheck(unconnected, this.root, false, this.acls, null)) {
			unconnected.start();
			waiting.passWhenConnected();
			assertThat(isLooking()).isFalse();
		}
	}

	@Test
	void aProblemIsLoggedOnceAndAnotherOneToo(CapturedOutput output) throws Exception {
		this.acls.known = false;
		this.check.passWhenConnected();
		await().until(() -> this.acls.looks.get() > 0);
		awaitNoLook();
		int before = this.acls.looks.get();
		reconnect(Testable::closeSocket);
		awaitNoLook();
		assertThat(this.acls.looks).hasValue(before + 1);
		assertThat(output).containsOnlyOnce("(INVALIDACL)");
		this.acls.known = true;
		this.curator.setACL().withACL(List.of(new ACL(Perms.READ | Perms.ADMIN, Ids.AUTH_IDS))).forPath(this.root);
		reconnect(Testable::closeSocket);
		awaitNoLook();
		assertThat(output).containsOnlyOnce("(NOAUTH)").doesNotContain("Locks can be acquired");
		assertThat(this.check.problem()).contains("(NOAUTH)");
	}

	@Test
	void aProblemIsOverWhenTheServersSaySo(CapturedOutput output) {
		this.acls.known = false;
		this.check.passWhenConnected();
		await().until(() -> this.check.problem() != null);
		awaitNoLook();
		int before = this.acls.looks.get();
		this.acls.at("/%~probe", () -> reconnect(Testable::injectSessionExpiration));
		reconnect(Testable::closeSocket);
		await().until(() -> this.acls.looks.get() == before + 2);
		awaitNoLook();
		assertThat(output).doesNotContain("Locks can be acquired");
		assertThat(this.check.problem()).contains("(INVALIDACL)");
		this.acls.known = true;
		reconnect(Testable::closeSocket);
		await().until(() -> this.check.problem() == null);
		assertThat(output).contains("Locks can be acquired below " + this.root + " now");
	}

	@Test
	void anAclProviderThatFailsIsLogged(CapturedOutput output) {
		this.acls.at(this.root, () -> {
			throw new IllegalArgumentException("planted");
		});
		this.check.passWhenConnected();
		await().until(() -> output.getOut().contains("planted"));
		awaitNoLook();
		assertThat(output.getOut()).contains("Whether locks can be acquired below " + this.root + " is not known");
		int before = this.acls.looks.get();
		reconnect(Testable::closeSocket);
		awaitNoLook();
		assertThat(this.acls.looks).hasValue(before + 1);
	}

	private void reconnect(Loss loss) {
		try {
			awaitReport(ConnectionState.RECONNECTED, () -> {
				loss.of(this.curator.getZookeeperClient().getZooKeeper().getTestable());
				// The client would notice a closed socket with its next ping, after ten
				// seconds
				this.curator.checkExists().inBackground().forPath(this.root);
			});
			// A look that the listener has begun gets here
			this.curator.checkExists().forPath(this.root);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	// Until all listeners were notified: they are in no order
	private void awaitReport(ConnectionState expected, Actor.Action cause) throws Exception {
		BlockingQueue<Thread> notifying = new LinkedBlockingQueue<>();
		this.curator.getConnectionStateListenable().addListener((client, state) -> {
			if (state == expected) {
				notifying.add(Thread.currentThread());
			}
		});
		cause.run();
		Thread thread = notifying.poll(30, TimeUnit.SECONDS);
		assertThat(thread).isNotNull();
		await().until(() -> Arrays.stream(thread.getStackTrace())
			.noneMatch((frame) -> frame.getMethodName().equals("forEach")));
	}

	private static void awaitNoLook() {
		await().until(() -> !isLooking());
	}

	private static boolean isLooking() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals("zk-lock-root-access"));
	}

	@FunctionalInterface
	private interface Loss {

		void of(Testable connection) throws Exception;

	}

	/** Counts the looks, each of which asks for the ACL of its probe once. */
	private static final class AskedForAcls implements ACLProvider {

		private final AtomicInteger looks = new AtomicInteger();

		private final AtomicBoolean busy = new AtomicBoolean();

		private volatile boolean known = true;

		private volatile boolean overlapped;

		private volatile String path = "nowhere";

		private volatile Runnable work = () -> {
		};

		void at(String asked, Runnable once) {
			this.work = once;
			this.path = asked;
		}

		@Override
		public List<ACL> getDefaultAcl() {
			return this.known ? Ids.CREATOR_ALL_ACL : List.of(new ACL(Perms.ALL, new Id("unknown", "shop")));
		}

		@Override
		public List<ACL> getAclForPath(String asked) {
			this.overlapped |= this.busy.get();
			if (asked.endsWith("/%~probe")) {
				this.looks.incrementAndGet();
			}
			if (asked.endsWith(this.path)) {
				this.path = "nowhere";
				this.busy.set(true);
				try {
					this.work.run();
				}
				finally {
					this.busy.set(false);
				}
			}
			return getDefaultAcl();
		}

	}

}
