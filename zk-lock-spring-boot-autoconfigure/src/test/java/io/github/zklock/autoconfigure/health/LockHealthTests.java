package io.github.zklock.autoconfigure.health;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.health.LockHealthIndicator;
import io.github.zklock.spring.GrantedEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The health of an application's locks, on a real server that goes and comes.
 */
class LockHealthTests {

	private TestingServer server;

	private ApplicationContextRunner runner;

	@BeforeEach
	void startServer() throws Exception {
		InstanceSpec spec = new InstanceSpec(null, -1, -1, -1, true, -1, 200, -1);
		this.server = new TestingServer(spec, true);
		this.runner = new ApplicationContextRunner()
			.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString(),
					"zk-lock.session-timeout=4s")
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class,
					ZkLockHealthContributorAutoConfiguration.class));
	}

	@AfterEach
	void stopServer() throws Exception {
		this.server.close();
	}

	private static Health health(ApplicationContext context) {
		return context.getBean(LockHealthIndicator.class).health();
	}

	private static void eventually(ApplicationContext context, Status status) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(health(context).getStatus()).isEqualTo(status));
	}

	@Test
	void locksInMemoryAreUp() {
		new ApplicationContextRunner()
			.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + LockHealthTests.class.getName())
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class,
					ZkLockHealthContributorAutoConfiguration.class))
			.run((context) -> {
				assertThat(health(context).getStatus()).isEqualTo(Status.UP);
				assertThat(health(context).getDetails()).doesNotContainKey("session")
					.extractingByKey("servers")
					.asString()
					.contains("in memory");
			});
	}

	@Test
	void aConnectedSessionIsUpAndSaysWhich() {
		this.runner.run((context) -> {
			assertThat(health(context).getStatus()).isEqualTo(Status.UP);
			assertThat(health(context).getDetails()).containsOnlyKeys("state", "servers", "session", "sessionTimeout")
				.containsEntry("state", "CONNECTED")
				.containsEntry("servers", this.server.getConnectString())
				.containsEntry("sessionTimeout", "PT4S");
			assertThat(health(context).getDetails().get("session")).asString().matches("0x[0-9a-f]+");
		});
	}

	@Test
	void itSaysWhoseLeaderThisInstanceIs() {
		this.runner.withPropertyValues("zk-lock.leader.names=reports,billing").run((context) -> {
			assertThat(health(context).getDetails()).hasEntrySatisfying("leaderElections",
					(elections) -> assertThat(elections)
						.hasToString("{billing={leader=false}, reports={leader=false}}"));
			LeaderElection billing = context.getBean("billingLeaderElection", LeaderElection.class);
			billing.stand();
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(context).getDetails().get("leaderElections")).asString()
					.matches("\\{billing=\\{leader=true, term=\\d+, since=20\\d\\d-.*Z}, reports=\\{leader=false}}")
					.contains("term=" + billing.term().orElse(0)));
			context.publishEvent(new GrantedEvent(billing, 1));
			assertThat(health(context).getDetails().get("leaderElections")).asString()
				.matches("\\{billing=\\{leader=true, term=\\d+}, reports=.*");
			billing.withdraw().join();
			assertThat(health(context).getDetails().get("leaderElections"))
				.hasToString("{billing={leader=false}, reports={leader=false}}");
		});
	}

	@Test
	void aMockedElectionHasNoNameAndIsNotShown() {
		this.runner.withBean("billingLeaderElection", LeaderElection.class, () -> Mockito.mock(LeaderElection.class))
			.run((context) -> assertThat(health(context).getDetails()).containsKey("state")
				.doesNotContainKeys("error", "leaderElections"));
	}

	@Test
	void aListenerThatThrowsHidesNotSinceWhenThisInstanceLeads() {
		this.runner.withPropertyValues("zk-lock.leader.names=billing")
			.withUserConfiguration(Throwing.class)
			.run((context) -> {
				LeaderElection billing = context.getBean(LeaderElection.class);
				billing.stand();
				Awaitility.await()
					.untilAsserted(() -> assertThat(health(context).getDetails().get("leaderElections")).asString()
						.contains("leader=true", "since="));
			});
	}

	@Test
	@Tag("slow")
	void anOutageIsOutOfServiceThenDownAndEnds() {
		this.runner.run((context) -> {
			this.server.stop();
			eventually(context, Status.OUT_OF_SERVICE);
			eventually(context, Status.DOWN);
			assertThat(health(context).getDetails()).containsEntry("state", "LOST").doesNotContainKey("session");
			this.server.restart();
			eventually(context, Status.UP);
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
		});
	}

	@Test
	void aClientThatWasNeverConnectedIsDown() {
		this.runner.withPropertyValues("zk-lock.connect-string=127.0.0.1:1", "zk-lock.fail-fast=false")
			.run((context) -> assertThat(health(context).getStatus()).isEqualTo(Status.DOWN));
	}

	@Test
	@Tag("slow")
	void whatWouldStopTheStartIsDownUntilItIsCured() {
		this.runner
			.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString() + "/apps",
					"zk-lock.fail-fast=false")
			.run((context) -> {
				Awaitility.await()
					.untilAsserted(() -> assertThat(health(context).getDetails().get("problem")).asString()
						.contains("The path '/apps' at the end of the connect string")
						.contains("zkCli.sh: create /apps"));
				assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
				assertThat(health(context).getDetails()).containsEntry("state", "CONNECTED");
				try (CuratorFramework operator = CuratorFrameworkFactory.newClient(this.server.getConnectString(),
						new RetryOneTime(1))) {
					operator.start();
					operator.create().forPath("/apps");
				}
				eventually(context, Status.UP);
				assertThat(health(context).getDetails()).doesNotContainKey("problem");
			});
	}

	@Test
	void aPathThatIsDeletedWithTheSessionIsDown() throws Exception {
		try (CuratorFramework operator = CuratorFrameworkFactory.newClient(this.server.getConnectString(),
				new RetryOneTime(1))) {
			operator.start();
			operator.create().forPath("/apps");
			this.runner
				.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString() + "/apps",
						"zk-lock.warm-up=false")
				.run((context) -> {
					assertThat(health(context).getStatus()).isEqualTo(Status.UP);
					operator.delete().deletingChildrenIfNeeded().forPath("/apps");
					context.getBean(CuratorFramework.class)
						.getZookeeperClient()
						.getZooKeeper()
						.getTestable()
						.injectSessionExpiration();
					Awaitility.await()
						.untilAsserted(
								() -> assertThat(health(context).getDetails()).containsEntry("state", "CONNECTED")
									.hasEntrySatisfying("problem", (problem) -> assertThat(problem).asString()
										.contains("The path '/apps' at the end of the connect string")));
					assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
				});
		}
	}

	@Test
	void aRootThatLetsOnlyOthersInIsDown() throws Exception {
		try (CuratorFramework other = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.retryPolicy(new RetryOneTime(1))
			.authorization("digest", "other:secret".getBytes(StandardCharsets.UTF_8))
			.build()) {
			other.start();
			other.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath("/zk-lock");
		}
		this.runner.withPropertyValues("zk-lock.fail-fast=false").run((context) -> {
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(context).getDetails().get("problem")).asString()
					.contains("does not let this client create nodes below zk-lock.root '/zk-lock' (NOAUTH)")
					.contains("choose another zk-lock.root"));
			assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
		});
	}

	@Test
	void aSessionTimeoutThatTheServersRaisedIsDown() {
		this.runner.withPropertyValues("zk-lock.session-timeout=100ms", "zk-lock.fail-fast=false").run((context) -> {
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(context).getDetails().get("problem")).asString()
					.contains("raised zk-lock.session-timeout from 100 ms to 200 ms")
					.contains("set zk-lock.session-timeout=500ms"));
			assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
		});
	}

	@Test
	void theIndicatorCanBeTurnedOff() {
		this.runner.withPropertyValues("management.health.zklock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockHealthIndicator.class));
		this.runner.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void theNameOfTheIndicatorIsZklock() {
		this.runner.run((context) -> assertThat(context).hasBean("zklockHealthContributor"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zklockHealthIndicator", "zklockHealthContributor" })
	void anIndicatorOfTheUsersOfThatNameWins(String name) {
		this.runner.withBean(name, HealthIndicator.class, () -> () -> Health.up().build())
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(HealthIndicator.class)
				.doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void aClientOfTheUsersHasNoIndicator() {
		this.runner.withBean(LockClient.class, InMemoryLockClient::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockHealthIndicator.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class Throwing {

		@Bean
		ApplicationListener<GrantedEvent> throwing() {
			return (event) -> {
				throw new IllegalStateException("of a listener");
			};
		}

	}

}
