package io.github.zklock.autoconfigure.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.jmx.ExposableJmxEndpoint;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.actuate.endpoint.ReleasingZkLocksEndpoint;
import io.github.zklock.actuate.endpoint.ZkLocksEndpoint;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The endpoint in an application, on a real server, called as the actuator calls it.
 */
class ZkLocksEndpointTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private final ApplicationContextRunner hidden = new ApplicationContextRunner()
		.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.application=shop",
				"zk-lock.warm-up=false", "spring.jmx.enabled=true")
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, EndpointAutoConfiguration.class,
				JmxAutoConfiguration.class, JmxEndpointAutoConfiguration.class,
				ZkLocksEndpointAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.hidden
		.withPropertyValues("management.endpoints.jmx.exposure.include=zklocks");

	private CuratorFramework own;

	@AfterEach
	void disconnect() {
		if (this.own != null) {
			this.own.close();
		}
	}

	private static JmxOperation operation(ApplicationContext context, String name) {
		ExposableJmxEndpoint endpoint = context.getBean(JmxEndpointsSupplier.class).getEndpoints().iterator().next();
		return endpoint.getOperations()
			.stream()
			.filter((operation) -> operation.getName().equals(name))
			.findFirst()
			.orElse(null);
	}

	private static Object invoke(ApplicationContext context, String name, Map<String, Object> arguments) {
		return operation(context, name).invoke(new InvocationContext(SecurityContext.NONE, arguments));
	}

	@Test
	void theKeysAreShownWithTheirHolders() {
		this.runner.run((context) -> {
			LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("orders/42"));
			ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of());
			assertThat(locks.waits()).isNull();
			assertThat(locks.size()).isEqualTo(50);
			assertThat(locks.keys()).singleElement().satisfies((key) -> {
				assertThat(key.key()).isEqualTo("orders/42");
				assertThat(key.queue()).isEmpty();
				assertThat(key.holders()).singleElement().satisfies((holder) -> {
					assertThat(holder.ours()).isTrue();
					assertThat(holder.application()).isEqualTo("shop");
					assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
					assertThat(holder.token()).isEqualTo(held.fencingToken());
				});
			});
			held.release();
		});
	}

	@Test
	void localWaitersAndAgesAreShown() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			LockHandle held = client.acquire(LockRequest.exclusive("w"));
			CompletableFuture<Void> first = client.acquireAsync(LockRequest.exclusive("w"))
				.thenAccept(LockHandle::release);
			CompletableFuture<Void> second = client.acquireAsync(LockRequest.exclusive("w"))
				.thenAccept(LockHandle::release);
			ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of());
			assertThat(locks.total()).isEqualTo(1);
			assertThat(locks.keys()).singleElement().satisfies((key) -> {
				assertThat(key.localWaiters()).hasSize(2).allSatisfy((waiter) -> {
					assertThat(waiter.thread()).isEqualTo(Thread.currentThread().getName());
					assertThat(waiter.mode()).isEqualTo(LockMode.EXCLUSIVE);
					assertThat(waiter.ageMillis()).isNotNegative();
				});
				assertThat(key.holders()).extracting(ZkLocksEndpoint.Contender::ageMillis).doesNotContainNull();
			});
			assertThat(context.getBean(ZkLocksEndpoint.class).lock("w").localWaiters()).hasSize(2);
			held.release();
			CompletableFuture.allOf(first, second).join();
		});
	}

	@Test
	void pageAndSizeAndWaitsCanBeGiven() {
		this.runner.run((context) -> {
			LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("p"));
			ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks",
					Map.of("page", 1, "size", 100_000, "waits", true));
			assertThat(locks.page()).isEqualTo(1);
			assertThat(locks.size()).isEqualTo(1000);
			assertThat(locks.keys()).isEmpty();
			assertThat(locks.waits()).isEqualTo(new LockInspector.Waits(List.of(), List.of()));
			held.release();
		});
	}

	@Test
	void aPageOrASizeThatCannotBeIsTheNearestThatCan() {
		this.runner.run((context) -> {
			ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks",
					Map.of("page", -1, "size", 0));
			assertThat(locks.page()).isZero();
			assertThat(locks.size()).isOne();
		});
	}

	@Test
	void anEmptyKeyIsRefused() {
		this.runner.withPropertyValues("zk-lock.endpoint.force-release=true").run((context) -> {
			ReleasingZkLocksEndpoint endpoint = context.getBean(ReleasingZkLocksEndpoint.class);
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.releaseKey(SecurityContext.NONE, ""));
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.locks(null, null, null, null, ""));
		});
	}

	@Test
	void theLastRunsOfJobsAreShownWhenAskedFor() {
		this.runner.run((context) -> {
			LockClient jobs = context.getBean(LockClient.class).notAgainWithin(Duration.ofMinutes(10), false);
			jobs.acquire(LockRequest.exclusive("nightly")).releaseAsync().join();
			ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of("jobs", true));
			assertThat(locks.keys()).isEmpty();
			assertThat(locks.jobs()).singleElement().satisfies((job) -> {
				assertThat(job.key()).isEqualTo("nightly");
				assertThat(job.run()).isOne();
				assertThat(job.withinMillis()).isEqualTo(600_000);
				assertThat(job.outcome()).isEqualTo("ok");
				assertThat(job.tookMillis()).isNotNull();
				assertThat(job.pid()).isEqualTo("" + ProcessHandle.current().pid());
			});
			assertThat(((ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of())).jobs()).isNull();
		});
	}

	@Test
	void aKeyWithSlashesIsShownInDetail() {
		this.runner.run((context) -> {
			LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("orders/43"));
			assertThat(context.getBean(ZkLocksEndpoint.class).lock("orders", "43").holders()).hasSize(1);
			assertThat(context.getBean(ZkLocksEndpoint.class).lock("orders", "44").holders()).isEmpty();
			held.release();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "zk-lock.connect-string=localhost:1", "zk-lock.connect-string=" })
	void theKeysOfSessionsOfTheUsersAreReadWhereTheyAre(String other) {
		this.runner.withPropertyValues(other)
			.withBean(LockSessions.class, () -> LockSessions.builder(connected()).application("shop").build())
			.run((context) -> {
				LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("elsewhere"));
				ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of());
				assertThat(locks.keys()).extracting((key) -> key.key()).containsExactly("elsewhere");
				held.release();
			});
	}

	@Test
	void theKeysOfLocksInAParentAreReadWithItsCredentials() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.root=/of-a-parent",
					"zk-lock.auth[0].username=a", "zk-lock.auth[0].password=b")
			.run((parent) -> this.runner.withParent(parent).run((context) -> {
				LockHandle held = parent.getBean(LockClient.class).acquire(LockRequest.exclusive("above"));
				ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of());
				assertThat(locks.keys()).extracting((key) -> key.key()).containsExactly("above");
				held.release();
			}));
	}

	@Test
	void withoutThePropertyNothingCanBeReleased() {
		this.runner.run((context) -> {
			assertThat(context).doesNotHaveBean(ReleasingZkLocksEndpoint.class);
			assertThat(operation(context, "locks")).isNotNull();
			assertThat(operation(context, "release")).isNull();
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aReleaseThatIsForcedIsAudited(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.endpoint.force-release=true").run((context) -> {
			assertThat(operation(context, "release")).isNotNull();
			LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("forced"));
			CompletableFuture<LockHandle> waiting = context.getBean(LockClient.class)
				.acquireAsync(LockRequest.exclusive("other"));
			waiting.join().release();
			context.getBean(ReleasingZkLocksEndpoint.class).release(SecurityContext.NONE, "forced");
			assertThat(output)
				.contains("The release of lock 'forced' is forced through the endpoint zklocks by an unknown user")
				.contains("Lock 'forced' was taken from shop@");
			assertThat(context.getBean(ZkLocksEndpoint.class).lock("forced").holders()).isEmpty();
			held.release();
			context.getBean(ReleasingZkLocksEndpoint.class).release(SecurityContext.NONE, "forced");
			assertThat(output).contains("Nobody held lock 'forced'");
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theAuditNamesThoseWhoWereReleasedBeforeTheReleaseFailed(CapturedOutput output) throws Exception {
		connected();
		try (ZooKeeperLockClient near = ZooKeeperLockClient.builder(this.own).instance("near").build();
				ZooKeeperLockClient far = ZooKeeperLockClient.builder(this.own).instance("far").build();
				LockInspector inspector = new ZooKeeperLockInspector(near, this::losingDeletes,
						Duration.ofMinutes(1))) {
			LockRequest read = LockRequest.read("audited");
			LockHandle first = near.acquire(read);
			LockHandle second = far.acquire(read);
			ReleasingZkLocksEndpoint endpoint = new ReleasingZkLocksEndpoint(inspector);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> endpoint.releaseKey(SecurityContext.NONE, "audited"));
			assertThat(first.isHeld()).isFalse();
			assertThat(output).contains("Lock 'audited' was taken from near (", "The release of lock 'audited' by")
				.doesNotContain("Lock 'audited' was taken from far (");
			first.release();
			second.release();
		}
	}

	private CuratorFramework losingDeletes() {
		return CuratorFrameworkFactory.builder()
			.connectString(server.connectString())
			.retryPolicy(new RetryOneTime(50))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout, watcher) {

				@Override
				public void delete(String path, int version, AsyncCallback.VoidCallback callback, Object context) {
					callback.processResult(KeeperException.Code.CONNECTIONLOSS.intValue(), path, context);
				}

			})
			.build();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theAuditShowsNoLineThatAKeyMakes(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.endpoint.force-release=true").run((context) -> {
			String key = "a\nLock 'b' was taken from shop by root";
			LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive(key));
			invoke(context, "releaseKey", Map.of("key", key));
			assertThat(held.isHeld()).isFalse();
			invoke(context, "releaseKey", Map.of("key", key));
			assertThat(output.getOut())
				.contains("The release of lock 'a?Lock 'b' was taken", "Nobody held lock 'a?Lock")
				.doesNotContain("\nLock 'b'");
			held.release();
		});
	}

	@Test
	void aPathThatMayMeanAnotherKeyTakesNothingAway() {
		this.runner.withPropertyValues("zk-lock.endpoint.force-release=true").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			ReleasingZkLocksEndpoint endpoint = context.getBean(ReleasingZkLocksEndpoint.class);
			try (LockHandle plain = client.acquire(LockRequest.exclusive("x/y"))) {
				for (String alike : List.of("/x/y", "x//y", "x/y/")) {
					try (LockHandle other = client.acquire(LockRequest.exclusive(alike))) {
						assertThatExceptionOfType(InvalidEndpointRequestException.class)
							.isThrownBy(() -> endpoint.release(SecurityContext.NONE, "x", "y"))
							.withMessageContaining("'" + alike + "'")
							.withMessageContaining("?key=");
						assertThat(plain.isHeld() && other.isHeld()).isTrue();
						invoke(context, "releaseKey", Map.of("key", alike));
						assertThat(other.isHeld()).isFalse();
					}
				}
				endpoint.release(SecurityContext.NONE, "x", "y");
				assertThat(plain.isHeld()).isFalse();
			}
		});
	}

	@Test
	void aPathIsReleasedWhereKeysAreNested() {
		this.runner.withPropertyValues("zk-lock.endpoint.force-release=true", "zk-lock.nested-keys=true")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				try (LockHandle held = client.acquire(LockRequest.exclusive("x/y"))) {
					ReleasingZkLocksEndpoint endpoint = context.getBean(ReleasingZkLocksEndpoint.class);
					assertThat(endpoint.release(SecurityContext.NONE, "x", "y").holders()).hasSize(1);
					assertThat(held.isHeld()).isFalse();
				}
			});
	}

	@Test
	void readOnlyAccessTakesTheReleaseAway() {
		this.runner
			.withPropertyValues("zk-lock.endpoint.force-release=true", "management.endpoint.zklocks.access=READ_ONLY")
			.run((context) -> assertThat(operation(context, "release")).isNull());
	}

	@Test
	void withoutTheEndpointThereIsAnInspectorWhenItIsAskedFor() {
		this.hidden.withPropertyValues("management.endpoints.jmx.exposure.exclude=*").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(ZkLocksEndpoint.class);
			assertThat(context.getBeanFactory().containsSingleton("zkLockInspector")).isFalse();
			try (LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				assertThat(context.getBean(LockInspector.class).line("k").contenders()).hasSize(1);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	void theEndpointHasTheInspectorOfTheContext() {
		this.runner.run((context) -> assertThat(context.getBean(ZkLocksEndpoint.class))
			.hasFieldOrPropertyWithValue("inspector", context.getBean(LockInspector.class)));
	}

	@Test
	void aClientOfTheUsersHasAnInspectorWithoutTheEndpoint() {
		this.hidden.withPropertyValues("management.endpoints.jmx.exposure.exclude=*", "zk-lock.enabled=false")
			.withBean(ZooKeeperLockClient.class, () -> ZooKeeperLockClient.builder(connected()).root("/alone").build())
			.run((context) -> assertThat(context.getBean(LockInspector.class).line("k").contenders()).isEmpty());
	}

	@Test
	void itWorksOnACuratorFrameworkOfTheUsers() {
		try (CuratorFramework own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
			own.start();
			this.runner.withBean(CuratorFramework.class, () -> own, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> {
					LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("own"));
					Awaitility.await()
						.untilAsserted(() -> assertThat(context.getBean(ZkLocksEndpoint.class).lock("own").holders())
							.hasSize(1));
					held.release();
				});
		}
	}

	@Test
	void aClientOnAConnectionThatIsNoBeanIsLookedAt() {
		this.runner.withPropertyValues("zk-lock.enabled=false")
			.withBean(ZooKeeperLockClient.class, () -> ZooKeeperLockClient.builder(connected()).root("/alone").build())
			.run((context) -> {
				LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"));
				ZkLocksEndpoint.Locks locks = (ZkLocksEndpoint.Locks) invoke(context, "locks", Map.of());
				assertThat(locks.keys()).singleElement().extracting(ZkLocksEndpoint.Key::key).isEqualTo("k");
				held.release();
			});
	}

	private CuratorFramework connected() {
		this.own = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100));
		this.own.start();
		return this.own;
	}

	@Test
	void theInspectorIsClosedWithTheContext() {
		List<LockInspector> made = new ArrayList<>();
		this.runner.run((context) -> made.add(context.getBean(LockInspector.class)));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> made.get(0).keys(0, 1))
			.withMessage("The inspector of the locks is closed");
	}

	@Test
	void anInspectorAndAnEndpointOfTheUsersWin() {
		this.runner.withUserConfiguration(OwnInspector.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LockInspector.class).hasBean("ownInspector");
			assertThat(context.getBean(ZkLocksEndpoint.class)).isInstanceOf(ReleasingZkLocksEndpoint.class);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theAuditSaysWhoItWas(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.endpoint.force-release=true").run((context) -> {
			SecurityContext who = new SecurityContext() {

				@Override
				public Principal getPrincipal() {
					return () -> "bob\nof sales";
				}

				@Override
				public boolean isUserInRole(String role) {
					return false;
				}

			};
			context.getBean(ReleasingZkLocksEndpoint.class).releaseKey(who, "k");
			assertThat(output)
				.contains("The release of lock 'k' is forced through the endpoint zklocks by bob?of sales");
		});
	}

	@Test
	void permitsAreShownOfThoseWhoHaveThem() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			try (LockHandle permit = client.acquire(LockRequest.permits("few", 3));
					LockHandle lock = client.acquire(LockRequest.exclusive("one"))) {
				ZkLocksEndpoint endpoint = context.getBean(ZkLocksEndpoint.class);
				assertThat(endpoint.lock("few").holders()).extracting(ZkLocksEndpoint.Contender::permits)
					.containsExactly(3);
				assertThat(endpoint.lock("one").holders()).extracting(ZkLocksEndpoint.Contender::permits)
					.containsOnlyNulls();
				assertThat(permit.isHeld() && lock.isHeld()).isTrue();
			}
		});
	}

	@Test
	void aClientOfTheUsersHasNoEndpoint() {
		this.runner.withBean(LockClient.class, InMemoryLockClient::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockInspector.class)
				.doesNotHaveBean(ZkLocksEndpoint.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnInspector {

		@Bean(destroyMethod = "close")
		LockInspector ownInspector(ZooKeeperLockClient client) {
			return new ZooKeeperLockInspector(client, Duration.ofMinutes(1));
		}

		@Bean
		ZkLocksEndpoint ownEndpoint(LockInspector inspector) {
			return new ReleasingZkLocksEndpoint(inspector);
		}

	}

}
