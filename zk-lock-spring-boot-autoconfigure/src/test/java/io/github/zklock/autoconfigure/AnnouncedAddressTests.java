package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.SecuredServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that announces an address which cannot be reached from here, as one does
 * behind a network that translates addresses, and as its port without TLS is to a client
 * with TLS.
 */
class AnnouncedAddressTests {

	// Reserved for documentation, so nobody has it
	private static final String ELSEWHERE = "192.0.2.1:2181";

	@Test
	void aLostConnectionIsMadeAgainToTheServersThatWereConfigured(@TempDir Path directory) throws IOException {
		List<Integer> ports = freePorts();
		Files.writeString(Files.createDirectories(directory.resolve("data")).resolve("myid"), "1");
		Map<String, String> configuration = Map.of("standaloneEnabled", "false", "initLimit", "10", "syncLimit", "5",
				"server.1", "127.0.0.1:%d:%d".formatted(ports.get(0), ports.get(1)), "server.2",
				"127.0.0.1:%d:%d:observer;%s".formatted(ports.get(2), ports.get(3), ELSEWHERE));
		try (SecuredServer server = SecuredServer.start(directory, configuration)) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
				.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.session-timeout=10s")
				.run((context) -> locksAgain(context.getBean(CuratorFramework.class),
						context.getBean(LockClient.class)));
		}
	}

	private static List<Integer> freePorts() throws IOException {
		InetAddress here = InetAddress.getLoopbackAddress();
		try (ServerSocket one = new ServerSocket(0, 1, here);
				ServerSocket two = new ServerSocket(0, 1, here);
				ServerSocket three = new ServerSocket(0, 1, here);
				ServerSocket four = new ServerSocket(0, 1, here)) {
			return Stream.of(one, two, three, four).map(ServerSocket::getLocalPort).toList();
		}
	}

	private static void locksAgain(CuratorFramework curator, LockClient client) throws Exception {
		Semaphore back = new Semaphore(0);
		curator.getConnectionStateListenable().addListener((same, state) -> {
			if (state == ConnectionState.RECONNECTED) {
				back.release();
			}
		});
		assertThat(new String(curator.getConfig().forEnsemble(), StandardCharsets.UTF_8)).contains(ELSEWHERE);
		// The first one may find the way back before what is announced is looked at
		for (int lost = 0; lost < 2; lost++) {
			curator.getZookeeperClient().getZooKeeper().getTestable().closeSocket();
			assertThat(back.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
		}
		try (LockHandle held = client.acquire(LockRequest.exclusive("k").timeout(Duration.ofSeconds(5)))) {
			assertThat(held.isHeld()).isTrue();
		}
	}

}
