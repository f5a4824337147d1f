package io.github.zklock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.testing.SecuredServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a user reads when the application cannot use the root of the locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class RootFailureTests extends StartupFixture {

	@TempDir
	private static Path directory;

	private static SecuredServer withQuotas;

	@BeforeAll
	static void startServer() {
		withQuotas = SecuredServer.start(directory, Map.of("-Dzookeeper.enforceQuota", "true"));
	}

	@AfterAll
	static void stopServer() {
		withQuotas.close();
	}

	@Test
	void anInterruptOfTheLookAtTheRootIsKept() throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(),
						new RetryOneTime(100))) {
			curator.start();
			StartupConnection.await(curator, Duration.ofSeconds(20), false);
			RootAccess access = new RootAccess(curator, "/locks", false, new DefaultACLProvider());
			Thread.currentThread().interrupt();
			access.check();
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void anInterruptOfTheProtectionOfTheRootIsKept() throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = CuratorFrameworkFactory.builder()
					.connectString(server.getConnectString())
					.authorization("digest", "shop:secret".getBytes(StandardCharsets.UTF_8))
					.retryPolicy(new RetryOneTime(100))
					.build()) {
			curator.start();
			curator.create().forPath("/locks");
			new RootAccess(curator, "/locks", false, new InterruptsBehindTheNodeThatStays()).check();
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "locks", "/locks/", "/", "/zookeeper/locks" })
	void badRootIsExplained(String root, CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			fails(Application.class, "--zk-lock.connect-string=" + server.getConnectString(), "--zk-lock.root=" + root);
		}
		assertThat(report(output)).contains("Invalid value '" + root + "' for configuration property 'zk-lock.root'")
			.contains("The root path of the locks must be a ");
	}

	@ParameterizedTest
	@CsvSource({ "shop, wrong", "other, right" })
	void credentialsThatTheRootDoesNotLetInAreExplained(String username, String password, CapturedOutput output)
			throws Exception {
		try (TestingServer server = new TestingServer()) {
			String servers = "--zk-lock.connect-string=" + server.getConnectString();
			runs(Application.class, servers, "--zk-lock.auth[0].username=shop", "--zk-lock.auth[0].password=right");
			fails(Application.class, servers, "--zk-lock.auth[0].username=" + username,
					"--zk-lock.auth[0].password=" + password);
			assertThat(report(output))
				.contains("ZooKeeper does not let this client create nodes below zk-lock.root '/zk-lock' (NOAUTH)")
				.contains("Check the username and the password of zk-lock.auth");
		}
	}

	@Test
	void missingCredentialsAreExplained(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			String servers = "--zk-lock.connect-string=" + server.getConnectString();
			runs(Application.class, servers, "--zk-lock.root=/apps/shop", "--zk-lock.auth[0].username=shop",
					"--zk-lock.auth[0].password=right");
			fails(Application.class, servers, "--zk-lock.root=/apps/shop/locks");
			assertThat(report(output)).contains("below zk-lock.root '/apps/shop/locks' (NOAUTH)");
		}
	}

	@Test
	void anAclThatNeedsCredentialsIsExplained(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			fails(Application.class, "--zk-lock.connect-string=" + server.getConnectString(), "--zk-lock.acl=creator");
		}
		assertThat(report(output)).contains("below zk-lock.root '/zk-lock' (INVALIDACL)")
			.contains("set zk-lock.auth, zk-lock.sasl.login-context or a client certificate");
	}

	@Test
	void aRootThatCannotHaveChildrenIsExplained(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(),
						new RetryOneTime(1))) {
			curator.start();
			curator.create().withMode(CreateMode.EPHEMERAL).forPath("/instance");
			fails(Application.class, "--zk-lock.connect-string=" + server.getConnectString(),
					"--zk-lock.root=/instance/locks");
		}
		assertThat(report(output)).contains("below zk-lock.root '/instance/locks' (NOCHILDRENFOREPHEMERALS)")
			.contains("is ephemeral and belongs to another client: choose another zk-lock.root");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aFullQuotaIsExplained(boolean ofNodes, CapturedOutput output) throws Exception {
		String root = ofNodes ? "/nodes" : "/bytes";
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(withQuotas.connectString(),
				new RetryOneTime(1))) {
			curator.start();
			curator.create().forPath(root, new byte[0]);
			StatsTrack quota = new StatsTrack();
			if (ofNodes) {
				quota.setCountHardLimit(1);
			}
			else {
				quota.setByteHardLimit(10);
			}
			curator.create()
				.creatingParentsIfNeeded()
				.forPath(Quotas.limitPath(root), quota.toString().getBytes(StandardCharsets.UTF_8));
			curator.create()
				.forPath(Quotas.statPath(root), new StatsTrack().toString().getBytes(StandardCharsets.UTF_8));
			fails(Application.class, "--zk-lock.connect-string=" + withQuotas.connectString(),
					"--zk-lock.root=" + root);
		}
		assertThat(report(output))
			.contains("The quota of zk-lock.root '" + root
					+ "', or of a node above it, is used up, so that no lock can be acquired.")
			.contains("setquota -N sets that of nodes, -B that of bytes");
	}

	@Test
	void theLookAtTheRootLeavesNothingBehind() throws Exception {
		try (TestingServer server = new TestingServer()) {
			runs(Application.class, "--zk-lock.connect-string=" + server.getConnectString(), "--zk-lock.warm-up=false");
			try (CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(),
					new RetryOneTime(1))) {
				curator.start();
				assertThat(curator.getChildren().forPath("/")).containsExactly("zookeeper");
			}
		}
	}

	/** Interrupts who compares the ACL of the root, before it lists the root. */
	private static final class InterruptsBehindTheNodeThatStays implements ACLProvider {

		private boolean stays;

		@Override
		public List<ACL> getDefaultAcl() {
			return ZooDefs.Ids.CREATOR_ALL_ACL;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			if (this.stays && path.equals("/locks")) {
				Thread.currentThread().interrupt();
			}
			this.stays |= path.endsWith(RootAccess.STAYS);
			return getDefaultAcl();
		}

	}

}
