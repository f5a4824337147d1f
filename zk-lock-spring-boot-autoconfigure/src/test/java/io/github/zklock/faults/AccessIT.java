package io.github.zklock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.OpenCounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Case 11: the client may not touch the locks' nodes.
 */
class AccessIT {

	private static EnsembleProcesses servers;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(1);
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@ParameterizedTest
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "sequential,EXCLUSIVE", "sequential,WRITE" })
	void aForbiddenRootIsToldAtOnce(String strategy, LockMode mode) throws Exception {
		try (Arena arena = new Arena(servers); ZooKeeper owner = EnsembleProcesses.connect(servers.connectString())) {
			owner.addAuthInfo("digest", "owner:secret".getBytes(StandardCharsets.UTF_8));
			owner.create(arena.root(), new byte[0], ZooDefs.Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
			LockClient client = arena.client(servers.connectString(), Duration.ofSeconds(10));
			LockRequest request = LockRequest.exclusive("k").mode(mode).strategy(strategy);
			long began = System.nanoTime();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> client.acquire(request.timeout(Duration.ofSeconds(20))))
				.withMessageContaining(arena.root())
				.withMessageContaining("NoAuth");
			assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
			await().atMost(Duration.ofSeconds(5)).until(() -> OpenCounts.of(client) == 0);
		}
	}

	@ParameterizedTest
	@CsvSource({ "naive,EXCLUSIVE", "sequential,READ", "sequential,WRITE" })
	void aRootNodeThatMayNotBeReadDoesNotMatter(String strategy, LockMode mode) throws Exception {
		try (Arena arena = new Arena(servers); ZooKeeper owner = EnsembleProcesses.connect(servers.connectString())) {
			List<ACL> before = owner.getACL("/", new Stat());
			owner.setACL("/", Collections
				.singletonList(new ACL(ZooDefs.Perms.CREATE | ZooDefs.Perms.ADMIN, ZooDefs.Ids.ANYONE_ID_UNSAFE)), -1);
			try {
				CuratorFramework curator = arena.curator(servers.connectString(), Duration.ofSeconds(3));
				LockClient client = arena.client(curator);
				try (LockHandle handle = client.acquire(LockRequest.exclusive("k").mode(mode).strategy(strategy))) {
					await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(4)).until(handle::isHeld);
				}
				assertThat(arena.leftovers(Duration.ofSeconds(5))).isEmpty();
			}
			finally {
				owner.setACL("/", before, -1);
			}
		}
	}

}
