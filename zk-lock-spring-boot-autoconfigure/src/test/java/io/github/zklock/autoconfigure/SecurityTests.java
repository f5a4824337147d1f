package io.github.zklock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.autoconfigure.ZkLockConnectionDetails.Credentials;
import io.github.zklock.testing.EverythingLogged;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who has the secret has the locks, and nobody else.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecurityTests {

	private static final String SECRET = "q8-very-secret";

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=" + server.connectString());

	private final ApplicationContextRunner secured = this.runner.withPropertyValues("zk-lock.auth[0].username=shop",
			"zk-lock.auth[0].password=" + SECRET);

	private static CuratorFramework stranger() {
		CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(server.connectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization("digest", "shop:guessed".getBytes(StandardCharsets.UTF_8))
			.build();
		curator.start();
		return curator;
	}

	private static String[] contenders(CuratorFramework curator, String keyNode) throws Exception {
		List<String> children = curator.getChildren().forPath(keyNode);
		return children.isEmpty() ? new String[] { keyNode }
				: children.stream().map((child) -> keyNode + "/" + child).toArray(String[]::new);
	}

	@ParameterizedTest
	@CsvSource({ "sequential,EXCLUSIVE", "sequential,READ", "naive,EXCLUSIVE", "naive,WRITE" })
	void aClientWithoutTheSecretCannotTakeForgeDeleteOrReadALock(String strategy, LockMode mode) throws Exception {
		String root = "/secured-" + strategy + mode;
		LockRequest request = LockRequest.exclusive("k").mode(mode).strategy(strategy);
		this.secured.withPropertyValues("zk-lock.root=" + root).run((context) -> {
			try (LockHandle held = context.getBean(LockClient.class).acquire(request);
					CuratorFramework stranger = stranger();
					ZooKeeperLockClient thief = ZooKeeperLockClient.builder(stranger).root(root).build()) {
				String keyNode = root + "/k";
				String[] nodes = contenders(context.getBean(CuratorFramework.class), keyNode);
				assertThatExceptionOfType(LockUnavailableException.class).as("take the same key")
					.isThrownBy(() -> thief.acquire(request))
					.withMessageContaining("NoAuth");
				assertThatExceptionOfType(LockUnavailableException.class).as("take another key")
					.isThrownBy(() -> thief.acquire(LockRequest.exclusive("other").strategy(strategy)))
					.withMessageContaining("NoAuth");
				refused(() -> stranger.create().withMode(CreateMode.EPHEMERAL).forPath(root + "/forged"));
				refused(() -> stranger.create()
					.withMode(CreateMode.EPHEMERAL)
					.forPath(keyNode + "/_c_0-lock-0000000000"));
				refused(() -> stranger.getChildren().forPath(root));
				refused(() -> stranger.getChildren().forPath(keyNode));
				refused(() -> stranger.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(root));
				for (String node : nodes) {
					refused(() -> stranger.delete().forPath(node));
					refused(() -> stranger.getData().forPath(node));
					refused(() -> stranger.setData().forPath(node, new byte[0]));
					refused(() -> stranger.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(node));
				}
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	private static void refused(ThrowingAction action) {
		assertThatExceptionOfType(KeeperException.NoAuthException.class).isThrownBy(action::run);
	}

	@Test
	void aClientWithTheSecretSharesTheLocks() {
		ApplicationContextRunner instance = this.secured.withPropertyValues("zk-lock.root=/shared");
		instance.run((one) -> instance.run((other) -> {
			LockHandle held = one.getBean(LockClient.class).acquire(LockRequest.exclusive("k"));
			LockRequest impatient = LockRequest.exclusive("k").timeout(Duration.ofMillis(500));
			assertThat(Repeat.after(LockUnavailableException.class,
					() -> other.getBean(LockClient.class).tryAcquire(impatient)))
				.isEmpty();
			held.releaseAsync().join();
			other.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
		}));
	}

	@Test
	void theAclIsConfigurable() {
		assertThat(acl("/acl-open", "open")).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
		assertThat(acl("/acl-creator", "creator")).singleElement()
			.satisfies((one) -> assertThat(one.getId().getId()).startsWith("shop:"));
		assertThat(acl("/acl-both", "creator,world:anyone:r")).hasSize(2)
			.contains(new ACL(ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE));
	}

	private List<ACL> acl(String root, String entries) {
		List<ACL> found = new ArrayList<>();
		this.secured.withPropertyValues("zk-lock.root=" + root, "zk-lock.acl=" + entries).run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
			found.addAll(context.getBean(CuratorFramework.class).getACL().forPath(root));
		});
		return found;
	}

	@Test
	void withoutCredentialsTheLocksAreOpenAsBefore() {
		this.runner.withPropertyValues("zk-lock.root=/without").run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
			assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/without"))
				.isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
		});
	}

	@Test
	void anAclProviderBeanWins() {
		this.secured.withPropertyValues("zk-lock.root=/provided")
			.withBean(ACLProvider.class, DefaultACLProvider::new)
			.run((context) -> {
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
				assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/provided"))
					.isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
			});
	}

	@Test
	void severalAclProviderBeansNeedAWordOfTheirOwn() {
		ApplicationContextRunner two = this.runner.withPropertyValues("zk-lock.root=/two-providers")
			.withBean("one", ACLProvider.class, DefaultACLProvider::new)
			.withBean("another", ACLProvider.class, DefaultACLProvider::new);
		two.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(ZkLockStartupException.class)
			.hasMessageContaining("There are several ACLProvider beans"));
		two.withPropertyValues("zk-lock.acl=open").run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aRootThatIsOpenAlreadyIsWarnedOf(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/open-already");
			this.secured.withPropertyValues("zk-lock.root=/open-already")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).contains("The node /open-already was made with an ACL that lets everybody");
		}
	}

	@Test
	void whatIsOpenWhereNoPathMayBeIsWarnedOf(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().creatingParentsIfNeeded().forPath("/open-by-default/k");
			this.secured.withPropertyValues("zk-lock.root=/open-by-default")
				.withBean(ACLProvider.class, () -> new DefaultACLProvider() {
					@Override
					public List<ACL> getAclForPath(String path) {
						return ZooDefs.Ids.CREATOR_ALL_ACL;
					}
				})
				.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output).contains("The node /open-by-default was made with an ACL that lets everybody")
			.contains("/open-by-default/k (everybody)");
	}

	@Test
	void withoutFailFastTheRootIsLookedAtWhenThereIsAConnection(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/open-later");
			this.secured.withPropertyValues("zk-lock.root=/open-later", "zk-lock.fail-fast=false").run((context) -> {
				assertThat(context).hasNotFailed();
				await().untilAsserted(() -> assertThat(output)
					.contains("The node /open-later was made with an ACL that lets everybody"));
				assertThat(stranger.getChildren().forPath("/open-later")).contains("%~stays");
			});
		}
	}

	@Test
	void withoutFailFastTheRootIsLookedAtWhereAConnectionIsThereAlready() throws Exception {
		try (CuratorFramework own = stranger()) {
			own.blockUntilConnected();
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
				.withBean(CuratorFramework.class, () -> own, (definition) -> definition.setDestroyMethodName(""))
				.withPropertyValues("zk-lock.root=/connected", "zk-lock.acl=creator", "zk-lock.fail-fast=false")
				.run((context) -> await()
					.untilAsserted(() -> assertThat(own.checkExists().forPath("/connected/%~stays")).isNotNull()));
		}
	}

	@Test
	void withANamespaceTheRootBelowItIsLookedAt(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().creatingParentsIfNeeded().forPath("/apps/named");
			this.secured.withPropertyValues("zk-lock.root=/named")
				.withBean(ZkLockCuratorCustomizer.class, () -> (builder) -> builder.namespace("apps"))
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(stranger.checkExists().forPath("/named")).isNull();
		}
		assertThat(output).contains("The node /apps/named was made with an ACL that lets everybody");
	}

	@Test
	void aClientThatTheServersDoNotKnowLooksForOthersToo(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/addresses");
			this.runner.withPropertyValues("zk-lock.root=/addresses", "zk-lock.acl=ip:127.0.0.1:cdrwa")
				.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output).contains("The node /addresses was made with an ACL that lets everybody");
	}

	@Test
	void aRootThatLetsOthersInIsWarnedOf(CapturedOutput output) throws Exception {
		List<ACL> acl = new ArrayList<>(creator());
		acl.add(new ACL(ZooDefs.Perms.ALL, new Id("ip", "0.0.0.0/0")));
		try (CuratorFramework stranger = stranger()) {
			stranger.create().withACL(acl).forPath("/lets-in");
			this.secured.withPropertyValues("zk-lock.root=/lets-in")
				.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output)
			.contains("The node /lets-in was made with an ACL that lets ip:0.0.0.0/0 create and delete locks");
	}

	@Test
	void keyNodesThatLetOthersInAreWarnedOf(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/was-open");
			stranger.create().forPath("/was-open/open-to-all");
			stranger.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath("/was-open/closed");
			stranger.create().withACL(creator()).forPath("/was-open/ours");
			stranger.setACL().withACL(creator()).forPath("/was-open");
			this.secured.withPropertyValues("zk-lock.root=/was-open")
				.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output)
			.contains("/was-open/open-to-all (everybody)", "/was-open/closed (those whom its ACL hides)", "2 key nodes")
			.doesNotContain("/was-open/ours");
	}

	@Test
	void inALaterSessionTheRootIsProtectedAgainAndItsKeyNodesAreNotLookedAt(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/later");
			stranger.create().forPath("/later/open-to-all");
			stranger.setACL().withACL(creator()).forPath("/later");
		}
		this.secured.withPropertyValues("zk-lock.root=/later").run((context) -> {
			CuratorFramework curator = context.getBean(CuratorFramework.class);
			curator.delete().forPath("/later/%~stays");
			curator.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
			await().until(() -> curator.checkExists().forPath("/later/%~stays") != null);
			await("the look of that session").until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("zk-lock-root-access")));
		});
		assertThat(output).containsOnlyOnce("Below /later there are 1 key nodes with an ACL");
	}

	@Test
	void keyNodesBelowOthersThatLetOthersInAreWarnedOfWhereKeysAreNested(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			for (String path : List.of("/levels", "/levels/orders", "/levels/orders/eu", "/levels/orders/eu/42",
					"/levels/orders/eu/x-lock-0000000001", "/levels/orders/ours", "/levels/orders/closed")) {
				stranger.create().forPath(path);
			}
			stranger.setACL().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath("/levels/orders/closed");
			for (String path : List.of("/levels", "/levels/orders", "/levels/orders/eu", "/levels/orders/ours")) {
				stranger.setACL().withACL(creator()).forPath(path);
			}
			this.secured.withPropertyValues("zk-lock.root=/levels").run((flat) -> assertThat(flat).hasNotFailed());
			assertThat(output).doesNotContain("key nodes with an ACL");
			this.secured.withPropertyValues("zk-lock.root=/levels", "zk-lock.nested-keys=true")
				.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output).contains("2 key nodes with an ACL", "/levels/orders/eu/42 (everybody)",
				"/levels/orders/closed (those whom its ACL hides)");
	}

	@Test
	void ofNestedKeyNodesNotMoreAreLookedAtThanOfOthers(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/deep");
			List<CuratorOp> creates = new ArrayList<>();
			for (int i = 0; i < 400; i++) {
				creates.add(stranger.transactionOp().create().forPath("/deep/open-" + i));
				creates.add(stranger.transactionOp().create().forPath("/deep/open-" + i + "/below"));
			}
			stranger.transaction().forOperations(creates);
			stranger.setACL().withACL(creator()).forPath("/deep");
			this.secured.withPropertyValues("zk-lock.root=/deep", "zk-lock.nested-keys=true")
				.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output).contains("Below /deep there are 600 key nodes with an ACL");
		assertThat(output.toString().split("/deep/open-\\S+ \\(everybody\\)", -1)).as("five of them").hasSize(6);
	}

	@Test
	void keyNodesOfWhichTheListMayBeTooLargeAreNotListed(CapturedOutput output) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			stranger.create().forPath("/many");
			for (int some = 0; some < 5; some++) {
				List<CuratorOp> creates = new ArrayList<>();
				for (int i = 0; i < 801; i++) {
					creates.add(stranger.transactionOp().create().forPath("/many/open-" + some + "-" + i));
				}
				stranger.transaction().forOperations(creates);
			}
			stranger.setACL().withACL(creator()).forPath("/many");
			this.secured.withPropertyValues("zk-lock.root=/many").run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output).contains("Below /many there are 4006 key nodes, too many to look at")
			.doesNotContain("/many/open-");
	}

	private static List<ACL> creator() throws NoSuchAlgorithmException {
		String digest = DigestAuthenticationProvider.generateDigest("shop:" + SECRET);
		return List.of(new ACL(ZooDefs.Perms.ALL, new Id("digest", digest)));
	}

	@Test
	void whatIsConfiguredIsNotWarnedOf(CapturedOutput output) {
		ApplicationContextRunner configured = this.secured.withPropertyValues("zk-lock.root=/configured",
				"zk-lock.acl=creator,ip:127.0.0.1:cdrw,world:anyone:r");
		configured.run((one) -> {
			try (LockHandle held = one.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				configured.run((other) -> assertThat(held.isHeld()).isTrue());
				assertThat(one.getBean(CuratorFramework.class).getChildren().forPath("/configured/%~stays")).isEmpty();
			}
		});
		assertThat(output).doesNotContain("with an ACL that lets").doesNotContain("cannot be protected");
	}

	@Test
	void anAclProviderSaysWhoMayTouchTheRootAndTheNodesAboveIt() throws Exception {
		List<ACL> readable = new ArrayList<>(ZooDefs.Ids.CREATOR_ALL_ACL);
		readable.addAll(ZooDefs.Ids.READ_ACL_UNSAFE);
		this.secured.withPropertyValues("zk-lock.root=/shown/root")
			.withBean(ACLProvider.class, () -> new ACLProvider() {
				@Override
				public List<ACL> getDefaultAcl() {
					return ZooDefs.Ids.CREATOR_ALL_ACL;
				}

				@Override
				public List<ACL> getAclForPath(String path) {
					return (path.equals("/shown") || path.equals("/shown/root")) ? readable : null;
				}
			})
			.run((context) -> {
				assertThat(context).hasNotFailed();
				try (CuratorFramework stranger = stranger()) {
					assertThat(stranger.getChildren().forPath("/shown")).containsExactly("root");
					assertThat(stranger.getChildren().forPath("/shown/root")).contains("%~stays");
					refused(() -> stranger.getChildren().forPath("/shown/root/%~stays"));
				}
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "/replaced", "/above/replaced" })
	void aRootWithoutLocksCannotBeReplacedByStrangers(String root) throws Exception {
		try (CuratorFramework stranger = stranger()) {
			this.secured.withPropertyValues("zk-lock.root=" + root).run((context) -> {
				assertThat(context).hasNotFailed();
				String top = root.startsWith("/above") ? "/above" : root;
				assertThatExceptionOfType(KeeperException.NotEmptyException.class)
					.isThrownBy(() -> stranger.delete().forPath(top));
				refused(() -> stranger.delete().forPath(root + "/%~stays"));
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("%~stays")).release();
			});
		}
	}

	@Test
	void aRootOfOursIsNotWarnedOf(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			this.secured.withPropertyValues("zk-lock.root=/ours")
				.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
		}
		assertThat(output).doesNotContain("with an ACL that lets");
	}

	@Test
	void credentialsAreShownAgainOnTheNextConnection() throws Exception {
		try (TestingServer restarted = new TestingServer()) {
			this.secured
				.withPropertyValues("zk-lock.connect-string=" + restarted.getConnectString(),
						"zk-lock.session-timeout=20s")
				.run((context) -> {
					LockClient client = context.getBean(LockClient.class);
					LockHandle held = client.acquire(LockRequest.exclusive("k"));
					restarted.restart();
					client.acquire(LockRequest.exclusive("other").timeout(Duration.ofSeconds(20))).release();
					held.releaseAsync().join();
					client.acquire(LockRequest.exclusive("k").owner("another").timeout(Duration.ofSeconds(20)))
						.release();
				});
		}
	}

	@Test
	void theSecretIsInNoTextAndInNoNode(CapturedOutput output) {
		ApplicationContextRunner client = this.secured.withPropertyValues("zk-lock.root=/secret");
		EverythingLogged logs = new EverythingLogged();
		client.run((context) -> {
			try (logs; LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				CuratorFramework curator = context.getBean(CuratorFramework.class);
				String[] nodes = contenders(curator, "/secret/k");
				assertThat(nodes).isNotEmpty();
				for (String node : nodes) {
					assertThat(new String(curator.getData().forPath(node), StandardCharsets.UTF_8)).contains("thread")
						.doesNotContain(SECRET);
				}
				ZkLockConnectionDetails details = context.getBean(ZkLockConnectionDetails.class);
				assertThat(details.credentials()).containsExactly(Credentials.digest("shop", SECRET));
				ZkLockProperties properties = context.getBean(ZkLockProperties.class);
				assertThat(Stream.of(held, curator, details, details.credentials(), properties, properties.getAuth(),
						context.getBean(ClientTls.class), context.getBean(LockClient.class)))
					.extracting(Object::toString)
					.noneMatch((text) -> text.contains(SECRET));
			}
		});
		assertThat(output).contains("Initiating client connection").doesNotContain(SECRET);
	}

	@ParameterizedTest
	@ValueSource(strings = { "auth[0].username=shop", "auth[0].password=" + SECRET,
			"auth[0].scheme=sasl,auth[0].password=" + SECRET, "auth[0].scheme=x509,auth[0].password=" + SECRET,
			"auth[0].username=a:b,auth[0].password=" + SECRET, "auth[0].username=a:" + SECRET + ",auth[0].password=b",
			"ssl.bundle=nope", "sasl.login-context=Nope", "acl=everybody", "acl=world:anyone:z" })
	void mistakesStopTheApplicationAndDoNotTellTheSecret(String properties) {
		ApplicationContextRunner mistaken = this.runner;
		for (String property : StringUtils.commaDelimitedListToStringArray(properties)) {
			mistaken = mistaken.withPropertyValues("zk-lock." + property);
		}
		mistaken.run((context) -> assertThat(context).getFailure().satisfies((failure) -> {
			Throwable root = failure;
			while (root.getCause() != null && !(root instanceof ZkLockStartupException)) {
				root = root.getCause();
			}
			String text = (root instanceof ZkLockStartupException known) ? known.getMessage() + known.action()
					: root.toString();
			assertThat(text).contains("zk-lock." + properties.replaceAll("[.\\[=].*", "")).doesNotContain(SECRET);
		}));
	}

	@Test
	void securitySettingsThatSessionsOfTheUsersWouldIgnoreAreRefused() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withBean(CuratorFramework.class, SecurityTests::stranger)
			.withUserConfiguration(OwnSessions.class)
			.withPropertyValues("zk-lock.sasl.login-context=Client")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("cannot be given to the connection of the LockSessions bean"));
	}

	@Test
	void sessionsOfTheUsersOnAConnectionThatIsNoBeanNeedNoOther() {
		ApplicationContextRunner elsewhere = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
			.withUserConfiguration(PrivateSessions.class);
		elsewhere.run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("elsewhere")).release();
		});
		elsewhere.withPropertyValues("zk-lock.connect-string=localhost:1").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBeanFactory().containsSingleton("zkLockCurator")).isFalse();
		});
	}

	@Test
	void securitySettingsThatGoToAnotherConnectionThanTheLocksAreRefused() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withUserConfiguration(PrivateSessions.class)
			.withPropertyValues("zk-lock.connect-string=localhost:1", "zk-lock.auth[0].username=a",
					"zk-lock.auth[0].password=b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("cannot be given to the connection of the LockSessions bean"));
	}

	@Test
	void securitySettingsOfTheConnectionOfSessionsInAParentApply() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
			.withUserConfiguration(OwnSessions.class, ConnectionConfiguration.class, OfParent.class)
			.withPropertyValues("zk-lock.connect-string=localhost:1")
			.run((parent) -> this.secured.withParent(parent)
				.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockClient.class)));
	}

	@Test
	void securitySettingsOfTheConnectionThatSessionsOfTheUsersHaveApply() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withUserConfiguration(OwnSessions.class)
			.withPropertyValues("zk-lock.connect-string=localhost:1", "zk-lock.auth[0].username=a",
					"zk-lock.auth[0].password=b")
			.run((context) -> assertThat(context).hasNotFailed());
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withUserConfiguration(OwnNamespace.class)
			.withPropertyValues("zk-lock.connect-string=localhost:1", "zk-lock.auth[0].username=a",
					"zk-lock.auth[0].password=b")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void securitySettingsThatAForeignClientWouldIgnoreAreRefused() {
		ApplicationContextRunner foreign = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withBean(CuratorFramework.class, SecurityTests::stranger);
		foreign.withPropertyValues("zk-lock.auth[0].username=a", "zk-lock.auth[0].password=b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("cannot be given to the CuratorFramework bean"));
		foreign.withPropertyValues("zk-lock.ssl.bundle=zk")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("cannot be given to the CuratorFramework bean"));
		foreign.withPropertyValues("zk-lock.acl=creator", "zk-lock.root=/foreign").run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
			assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/foreign").toString())
				.contains("shop");
		});
	}

	@FunctionalInterface
	private interface ThrowingAction {

		void run() throws Exception;

	}

	@Configuration(proxyBeanMethods = false)
	static class PrivateSessions {

		@Bean(destroyMethod = "close")
		PrivateConnection connection() {
			return new PrivateConnection(stranger());
		}

		@Bean(destroyMethod = "close")
		LockSessions lockSessions(PrivateConnection connection) {
			return LockSessions.builder(connection.curator()).build();
		}

	}

	/**
	 * A connection that is no bean.
	 *
	 * @param curator the connection
	 */
	record PrivateConnection(CuratorFramework curator) implements AutoCloseable {

		@Override
		public void close() {
			this.curator.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ZkLockProperties.class)
	static class OfParent {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnNamespace {

		@Bean(destroyMethod = "close")
		LockSessions lockSessions(CuratorFramework curator) {
			return LockSessions.builder(curator.usingNamespace("shop"))
				.aclProvider(new ConfiguredAcl(List.of("creator"), true))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnSessions {

		@Bean(destroyMethod = "close")
		LockSessions lockSessions(CuratorFramework curator) {
			return LockSessions.builder(curator).aclProvider(new ConfiguredAcl(List.of("creator"), true)).build();
		}

	}

}
