package io.github.zklock.test;

import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@ExtendWith(ZkLockExtension.class)
class ZkLockExtensionTests {

	@Test
	void allPartsAreGiven(LockClient client, ZooKeeperLockClient same, CuratorFramework curator,
			EmbeddedZooKeeper server) throws Exception {
		assertThat(client).isSameAs(same);
		assertThat(curator.getZookeeperClient().getCurrentConnectionString()).isEqualTo(server.connectString());
		try (LockHandle handle = client.acquire(LockRequest.exclusive("a"))) {
			assertThat(curator.getChildren().forPath("/zk-lock/a")).hasSize(1);
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void theServerIsReachableFromThisHostOnly(EmbeddedZooKeeper server) throws Exception {
		int port = Integer.parseInt(server.connectString().replaceAll(".*:", ""));
		Optional<InetAddress> other = NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress() && address instanceof Inet4Address)
			.findFirst();
		// Without a network the rest of 127/8 stands for it, which is this host, too
		InetAddress address = other.orElse(InetAddress.getByName("127.0.0.2"));
		assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket(address, port).close());
	}

	@Test
	void rivalExcludesTheClient(LockClient client, LockTester tester) throws Exception {
		LockRequest request = LockRequest.exclusive("b").timeout(Duration.ofMillis(500));
		try (LockHandle rivals = tester.hold("b")) {
			assertThat(tester.isFree("b")).isFalse();
			await().pollInSameThread()
				.untilAsserted(() -> assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(request))
					.withMessageContaining("held by rival"));
			assertThat(rivals.isHeld()).isTrue();
		}
		assertThat(tester.isFree("b")).isTrue();
		client.acquire(request.timeout(Duration.ofSeconds(10))).release();
	}

	@Test
	void rivalWaitsForTheClient(LockClient client, LockTester tester, CuratorFramework curator) throws Exception {
		LockHandle handle = client.acquire(LockRequest.exclusive("c"));
		CompletableFuture<LockHandle> rivals = tester.rival().acquireAsync(LockRequest.exclusive("c"));
		await().until(() -> curator.getChildren().forPath("/zk-lock/c").size() == 2);
		await().during(Duration.ofMillis(200)).until(() -> !rivals.isDone());
		handle.release();
		rivals.get(10, TimeUnit.SECONDS).release();
	}

	@Test
	void expiredSessionLosesItsLocks(LockClient client, LockTester tester) throws Exception {
		LockHandle lost = client.acquire(LockRequest.exclusive("d"));
		tester.expireSession();
		assertThat(lost.isHeld()).isFalse();
		assertThat(tester.isFree("d")).isTrue();
		lost.release();
		try (LockHandle again = client.acquire(LockRequest.exclusive("d"))) {
			assertThat(again.fencingToken()).isGreaterThan(lost.fencingToken());
		}
	}

	@Test
	void rivalThatCannotConnectIsClosed(CuratorFramework curator) {
		List<CuratorFramework> made = new ArrayList<>();
		try (LockTester tester = new LockTester(curator, "/zk-lock", "", false, () -> {
			made.add(LockTester.another(curator));
			return made.get(made.size() - 1);
		})) {
			Thread.currentThread().interrupt();
			assertThatIllegalStateException().isThrownBy(tester::rival).withMessage("Interrupted while connecting");
			assertThat(Thread.interrupted()).isTrue();
			assertThat(made).extracting(CuratorFramework::getState).containsExactly(CuratorFrameworkState.STOPPED);
			assertThat(tester.isFree("f")).isTrue();
		}
		assertThat(made).extracting(CuratorFramework::getState)
			.containsExactly(CuratorFrameworkState.STOPPED, CuratorFrameworkState.STOPPED);
	}

	@Test
	void testerFindsNestedKeys(CuratorFramework curator) throws Exception {
		try (LockSessions sessions = LockSessions.builder(curator).nestedKeys(true).build();
				ZooKeeperLockClient nesting = ZooKeeperLockClient.builder(sessions).build();
				LockTester tester = new LockTester(curator, "/zk-lock", "", true)) {
			LockHandle held = nesting.acquire(LockRequest.exclusive("orders/42"));
			assertThat(tester.isFree("orders/42")).isFalse();
			held.releaseAsync().join();
			assertThat(tester.isFree("orders/42")).isTrue();
		}
	}

	@Nested
	class Inner {

		@Test
		void nestedClassesShareTheServer(LockClient client, LockTester tester) throws Exception {
			try (LockHandle handle = client.acquire(LockRequest.exclusive("e"))) {
				assertThat(tester.isFree("e")).isFalse();
				assertThat(handle.isHeld()).isTrue();
			}
		}

	}

}
