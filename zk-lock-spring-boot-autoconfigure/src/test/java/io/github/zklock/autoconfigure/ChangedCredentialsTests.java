package io.github.zklock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.testing.Repeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Instances that are started again one after the other, with other credentials, as
 * docs/security.md has it.
 */
class ChangedCredentialsTests {

	private static final Duration SHORT = Duration.ofMillis(500);

	private static final Duration LONG = Duration.ofMinutes(10);

	private TestingServer server;

	private ApplicationContextRunner former;

	private ApplicationContextRunner both;

	private ApplicationContextRunner next;

	private CuratorFramework operator;

	@BeforeEach
	void start() throws Exception {
		this.server = new TestingServer();
		this.operator = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization(List.of(digest("shop:old"), digest("shop2:new")))
			.build();
		this.operator.start();
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.connect-string=" + this.server.getConnectString());
		this.former = runner.withPropertyValues("zk-lock.auth[0].username=shop", "zk-lock.auth[0].password=old");
		this.both = this.former.withPropertyValues("zk-lock.auth[1].username=shop2", "zk-lock.auth[1].password=new");
		this.next = runner.withPropertyValues("zk-lock.auth[0].username=shop2", "zk-lock.auth[0].password=new");
	}

	private static AuthInfo digest(String credentials) {
		return new AuthInfo("digest", credentials.getBytes(StandardCharsets.UTF_8));
	}

	@AfterEach
	void stop() throws Exception {
		this.operator.close();
		this.server.close();
	}

	@Test
	void inThreeStepsAllExcludeEachOther() {
		this.former.run((one) -> this.both.run((other) -> {
			exclude(one, other);
			assertThat(runs(one, "nightly")).isTrue();
			assertThat(runs(other, "nightly")).isFalse();
			this.next.run((early) -> assertThat(early).hasFailed());
		}));
		this.both.run((one) -> {
			giveToBoth("/zk-lock");
			this.next.run((other) -> {
				exclude(one, other);
				assertThat(runs(other, "nightly")).isFalse();
				assertThat(runs(other, "hourly")).isTrue();
				assertThat(runs(one, "hourly")).isFalse();
			});
		});
	}

	@Test
	void whereTheRootIsOpenNoJobRunsUntilTheParentOfTheMarksIsGiven() throws Exception {
		this.operator.create().withACL(Ids.OPEN_ACL_UNSAFE).forPath("/zk-lock");
		this.former.run((context) -> assertThat(runs(context, "nightly")).isTrue());
		this.next.run((context) -> {
			for (String job : List.of("nightly", "never-run")) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> runs(context, job))
					.withStackTraceContaining("NoAuth");
			}
			giveToBoth("/zk-lock/%~jobs");
			assertThat(runs(context, "nightly")).isFalse();
			assertThat(runs(context, "never-run")).isTrue();
		});
	}

	private static void exclude(ApplicationContext one, ApplicationContext other) throws InterruptedException {
		LockRequest request = LockRequest.exclusive("orders");
		for (List<ApplicationContext> pair : List.of(List.of(one, other), List.of(other, one))) {
			LockHandle handle = client(pair.get(0)).acquire(request);
			assertThat(Repeat.after(LockUnavailableException.class,
					() -> client(pair.get(1)).tryAcquire(request.timeout(SHORT))))
				.isEmpty();
			assertThat(handle.isHeld()).isTrue();
			handle.releaseAsync().join();
		}
	}

	private static boolean runs(ApplicationContext context, String job) throws InterruptedException {
		return client(context).notAgainWithin(LONG, false).tryAcquire(LockRequest.exclusive(job)).map((run) -> {
			run.releaseAsync().join();
			return true;
		}).orElse(false);
	}

	private static LockClient client(ApplicationContext context) {
		return context.getBean(LockClient.class);
	}

	// As setAcl -R does
	private void giveToBoth(String path) throws Exception {
		try {
			this.operator.setACL().withACL(Ids.CREATOR_ALL_ACL).forPath(path);
			for (String child : this.operator.getChildren().forPath(path)) {
				giveToBoth(path + "/" + child);
			}
		}
		catch (NoNodeException ex) {
			// A lock that was released
		}
	}

}
