package io.github.zklock.sample.docs;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.FencedWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The examples of docs/fencing.md.
 */
class FencingTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("zk-lock.embedded.enabled=true", "spring.datasource.generate-unique-name=true",
				"spring.sql.init.mode=never");

	@Test
	void updateOfAStaleHolderIsRefused() {
		this.runner.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			SlowAudit audit = context.getBean(SlowAudit.class);
			CompletableFuture<Void> stale = CompletableFuture.runAsync(() -> accounts.withdraw(1, 70));
			assertThat(audit.reached.await(10, TimeUnit.SECONDS)).isTrue();
			deleteNode(context.getBean(CuratorFramework.class));
			accounts.withdraw(1, 50);
			assertThat(accounts.balance(1)).isEqualTo(50);
			audit.goOn.countDown();
			assertThat(stale).failsWithin(10, TimeUnit.SECONDS)
				.withThrowableThat()
				.havingRootCause()
				.isInstanceOf(OptimisticLockingFailureException.class);
			assertThat(accounts.balance(1)).isEqualTo(50);
			accounts.withdraw(1, 20);
			assertThat(accounts.balance(1)).isEqualTo(30);
		});
	}

	// An operator who deletes the node gives the lock away, and its holder does not
	// notice at once: as if it had slept.
	private static void deleteNode(CuratorFramework curator) throws Exception {
		String node = curator.getChildren().forPath("/zk-lock/account-1").get(0);
		curator.delete().forPath("/zk-lock/account-1/" + node);
	}

	@Test
	void settingsAreWrittenByTheHolderAlone() {
		this.runner.run((context) -> {
			CuratorFramework curator = context.getBean(CuratorFramework.class);
			curator.create().forPath("/settings", bytes("old"));
			context.getBean(Settings.class).replace(bytes("new"), bytes("old"));
			assertThat(curator.getData().forPath("/settings")).isEqualTo(bytes("new"));
			assertThat(curator.getData().forPath("/settings/previous")).isEqualTo(bytes("old"));
			assertThatExceptionOfType(KeeperException.NodeExistsException.class).as("all or nothing")
				.isThrownBy(() -> context.getBean(Settings.class).replace(bytes("newer"), bytes("new")));
			assertThat(curator.getData().forPath("/settings")).isEqualTo(bytes("new"));
		});
	}

	@Test
	void tokensOfLaterHoldersAreLarger() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			long last = 0;
			for (int i = 0; i < 5; i++) {
				try (LockHandle handle = client.acquire(LockRequest.exclusive("key"))) {
					assertThat(handle.fencingToken()).isGreaterThan(last);
					last = handle.fencingToken();
				}
			}
		});
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		SlowAudit audit() {
			return new SlowAudit();
		}

		@Bean
		Accounts accounts(JdbcClient jdbc, Accounts.Audit audit) {
			jdbc.sql("create table account (id bigint primary key, balance int not null, fence bigint not null)")
				.update();
			jdbc.sql("insert into account values (1, 100, 0)").update();
			return new Accounts(jdbc, audit);
		}

		@Bean
		Settings settings(CuratorFramework curator, FencedWriter writer) {
			return new Settings(curator, writer);
		}

	}

	/**
	 * The first check waits, further ones do not.
	 */
	static class SlowAudit implements Accounts.Audit {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		@Override
		public void check(long id, int amount) {
			if (this.reached.getCount() == 0) {
				return;
			}
			this.reached.countDown();
			try {
				assertThat(this.goOn.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
