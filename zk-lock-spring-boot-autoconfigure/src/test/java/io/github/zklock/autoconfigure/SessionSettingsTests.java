package io.github.zklock.autoconfigure;

import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.LockSessions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sessions of the user's have what the properties say, or the application does not start.
 */
class SessionSettingsTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=" + server.connectString());

	private final ApplicationContextRunner plain = this.runner.withUserConfiguration(PlainSessions.class);

	private final ApplicationContextRunner equal = this.runner.withUserConfiguration(EqualSessions.class);

	private static CuratorFramework connection() {
		CuratorFramework curator = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100));
		curator.start();
		return curator;
	}

	private static void assertRefused(ApplicationContextRunner runner, String property, String method) {
		runner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(ZkLockStartupException.class, (refused) -> {
				assertThat(refused).hasMessageContaining(property);
				assertThat(refused.action()).contains(method);
			}));
	}

	private static void assertStarts(ApplicationContextRunner runner) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
		});
	}

	@ParameterizedTest
	@CsvSource({ "root=/shop, .root(", "key-prefix=shop:, .keyPrefix(", "nested-keys=true, .nestedKeys(",
			"application=shop, .application(", "instance=shop-1, .instance(", "acl=creator, .aclProvider(" })
	void settingThatTheyDoNotHaveIsRefused(String setting, String method) {
		String property = "zk-lock." + setting;
		String name = property.substring(0, property.indexOf('='));
		assertRefused(this.plain.withPropertyValues(property), name, method);
		assertRefused(this.plain.withPropertyValues(property)
			.withBean("other", CuratorFramework.class, SessionSettingsTests::connection), name, method);
	}

	@Test
	void keysThatAreElsewhereInPartAreRefused() {
		assertRefused(this.equal.withPropertyValues("zk-lock.root=/shop"), "zk-lock.root", ".root(");
	}

	@Test
	void settingsThatTheyHaveAreAccepted() {
		assertStarts(this.equal);
		assertStarts(this.equal.withPropertyValues("zk-lock.root=/shop", "zk-lock.key-prefix=shop:",
				"zk-lock.nested-keys=true", "zk-lock.application=shop", "zk-lock.instance=shop-1"));
		assertStarts(this.equal.withPropertyValues("zk-lock.auth[0].username=a", "zk-lock.auth[0].password=b",
				"zk-lock.acl=creator"));
		assertStarts(this.plain.withPropertyValues("zk-lock.root=/zk-lock", "zk-lock.key-prefix=",
				"zk-lock.nested-keys=false", "zk-lock.acl=open"));
	}

	@Test
	void rootIsWithinTheNamespaceOfTheirConnection() {
		ApplicationContextRunner namespace = this.runner.withUserConfiguration(NamespaceSessions.class);
		assertStarts(namespace.withPropertyValues("zk-lock.root=/locks"));
		assertRefused(namespace.withPropertyValues("zk-lock.root=/shop/locks"), "zk-lock.root", ".root(");
	}

	@Test
	void locksThatTheCredentialsDoNotProtectAreRefused() {
		assertRefused(this.plain.withPropertyValues("zk-lock.auth[0].username=a", "zk-lock.auth[0].password=b"),
				"open to all", ".aclProvider(");
	}

	@Test
	void locksThatAreOpenOnPurposeAreAcceptedWithCredentials() {
		assertStarts(this.plain.withPropertyValues("zk-lock.auth[0].username=a", "zk-lock.auth[0].password=b",
				"zk-lock.acl=open"));
	}

	@Configuration(proxyBeanMethods = false)
	static class PlainSessions {

		@Bean(destroyMethod = "close")
		LockSessions lockSessions(CuratorFramework curator) {
			return LockSessions.builder(curator).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamespaceSessions {

		@Bean(destroyMethod = "close")
		LockSessions lockSessions(CuratorFramework curator) {
			return LockSessions.builder(curator.usingNamespace("shop")).root("/locks").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EqualSessions {

		@Bean(destroyMethod = "close")
		LockSessions lockSessions(CuratorFramework curator, ZkLockProperties properties) {
			return LockSessions.builder(curator)
				.root("/shop")
				.keyPrefix("shop:")
				.nestedKeys(true)
				.application("shop")
				.instance("shop-1")
				.aclProvider(
						properties.getAuth().isEmpty() ? new Acl(Ids.OPEN_ACL_UNSAFE) : new Acl(Ids.CREATOR_ALL_ACL))
				.build();
		}

	}

	/**
	 * The same for all nodes.
	 *
	 * @param entries its entries
	 */
	record Acl(List<ACL> entries) implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return this.entries;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return this.entries;
		}

	}

}
