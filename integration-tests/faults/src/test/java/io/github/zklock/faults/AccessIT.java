package io.github.zklock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.zookeeper.OpenWork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Case 11: the client may not touch the locks' nodes, or others may.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class AccessIT {

	// The first lease on a connection that was there before its client is a third of it
	private static final Duration SESSION = Duration.ofSeconds(20);

	// Far from the end of the session, and from that of the time-outs
	private static final Duration SOON = Duration.ofSeconds(6);

	private static final String CREDENTIALS = "owner:secret";

	private static EnsembleProcesses servers;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(1);
		servers.lookAs(CREDENTIALS);
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@ParameterizedTest
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "sequential,EXCLUSIVE", "sequential,WRITE" })
	void aForbiddenRootIsReportedAtOnce(String strategy, LockMode mode) throws Exception {
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
			await().atMost(Duration.ofSeconds(5)).until(() -> OpenWork.of(client) == 0);
		}
	}

	private static LockRequest request(String key, String strategy, LockMode mode) {
		return LockRequest.exclusive(key).mode(mode).strategy(strategy).timeout(Duration.ofSeconds(20));
	}

	private static CuratorFramework authenticated(Arena arena, String connectString) {
		return arena.curator(ClientMain.curatorBuilder(connectString, SESSION)
			.authorization("digest", CREDENTIALS.getBytes(StandardCharsets.UTF_8)));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ",
			"sequential,WRITE" })
	void aClientWhoseNextConnectionIsNotAuthenticatedIsRefusedUntilOneIs(String strategy, LockMode mode)
			throws Exception {
		try (Arena arena = new Arena(servers);
				FaultProxy proxy = new FaultProxy(servers.servers().get(0).clientAddress())) {
			CuratorFramework curator = authenticated(arena, proxy.connectString());
			LockClient client = arena.client(curator, new CreatorsOnly());
			LockClient other = arena.client(authenticated(arena, servers.connectString()), new CreatorsOnly());
			client.acquire(request("entered", strategy, mode)).releaseAsync().join();
			LockHandle held = client.acquire(request("held", strategy, mode));
			LockHandle others = other.acquire(request("wanted", strategy, LockMode.WRITE));
			CompletableFuture<LockHandle> waiting = client.acquireAsync(request("wanted", strategy, mode));
			await().atMost(SOON)
				.until(() -> servers.watchers(arena.root())
					.contains(curator.getZookeeperClient().getZooKeeper().getSessionId()));
			CompletableFuture<String> unanswered = proxy.loseAnswer(1, LockRequestTypes.CREATIONS);
			CompletableFuture<LockHandle> entering = client.acquireAsync(request("entered", strategy, mode));
			proxy.swallow(Set.of(OpCode.auth));
			unanswered.get(10, TimeUnit.SECONDS);

			assertThat(entering).failsWithin(SOON)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("NoAuth");
			long began = System.nanoTime();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> client.acquire(request("fresh", strategy, mode)))
				.withMessageMatching("ZooKeeper refused lock 'fresh'.*(NoAuth|InvalidACL).*");
			assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
			assertThat(held.isHeld()).as("the session lives").isTrue();
			CompletableFuture<Void> released = held.releaseAsync();
			waiting.cancel(false);
			CompletableFuture<LockHandle> next = other.acquireAsync(request("held", strategy, LockMode.WRITE));
			await().during(Duration.ofMillis(1500)).atMost(SOON).until(() -> !released.isDone() && !next.isDone());

			proxy.heal();
			proxy.cut();
			released.get(10, TimeUnit.SECONDS);
			next.get(10, TimeUnit.SECONDS).release();
			others.release();
			for (String key : List.of("held", "wanted", "entered", "fresh")) {
				client.acquire(request(key, strategy, mode)).release();
			}
			assertThat(arena.residue(Duration.ofSeconds(10))).isEmpty();
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
				CuratorFramework curator = arena.curator(servers.connectString(), SESSION);
				LockClient client = arena.client(curator);
				try (LockHandle handle = client.acquire(LockRequest.exclusive("k").mode(mode).strategy(strategy))) {
					await().during(SESSION.dividedBy(2)).atMost(Duration.ofSeconds(60)).until(handle::isHeld);
				}
				assertThat(arena.residue(Duration.ofSeconds(5))).isEmpty();
			}
			finally {
				owner.setACL("/", before, -1);
			}
		}
	}

	// The requests that follow the one for which the start has its answer
	@ParameterizedTest
	@CsvSource({ "create,1,/%~stays/", "getACL,1,/%~stays/", "delete,1,/%~stays/", "getACL,2,", "getChildren,1,",
			"getACL,3,/k" })
	void aRootIsProtectedAlsoWhereAnAnswerIsLostAtStart(String type, int number, String below, CapturedOutput output)
			throws Exception {
		String root = "/start-" + type + number;
		int code = OpCode.class.getField(type).getInt(null);
		try (FaultProxy proxy = new FaultProxy(servers.servers().get(0).clientAddress());
				ZooKeeper owner = EnsembleProcesses.connect(servers.connectString())) {
			owner.addAuthInfo("digest", CREDENTIALS.getBytes(StandardCharsets.UTF_8));
			for (String open : List.of(root, root + "/k")) {
				owner.create(open, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			}
			CompletableFuture<String> lost = proxy.loseAnswer(number, Set.of(code));
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
				.withPropertyValues("zk-lock.connect-string=" + proxy.connectString(), "zk-lock.root=" + root,
						"zk-lock.auth[0].username=owner", "zk-lock.auth[0].password=secret", "zk-lock.warm-up=false")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(lost.get(10, TimeUnit.SECONDS)).startsWith(root + Objects.requireNonNullElse(below, ""));
					await().atMost(SOON)
						.untilAsserted(() -> assertThat(output)
							.containsOnlyOnce("The node %s was made with an ACL that lets everybody".formatted(root))
							.containsOnlyOnce("Below %s there are 1 key nodes".formatted(root)));
					assertThat(owner.getChildren(root, false)).contains("%~stays");
					assertThat(owner.getChildren(root + "/%~stays", false)).isEmpty();
				});
			ZKUtil.deleteRecursive(owner, root);
		}
	}

	private static final class CreatorsOnly implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return ZooDefs.Ids.CREATOR_ALL_ACL;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return getDefaultAcl();
		}

	}

}
