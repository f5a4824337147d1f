package io.github.zklock.autoconfigure;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;
import io.github.zklock.aop.DistributedLockAdvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ZkLockAopAutoConfigurationTests {

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.embedded.enabled=true")
		.withBean("shop", Shop.class);

	private final ApplicationContextRunner runner = this.bare
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class));

	private static void assertLocked(ApplicationContext context) {
		assertThat(context.getBean("shop", Shop.class).holdsItsLock()).isTrue();
	}

	@Test
	void locksAnnotatedMethods() {
		this.runner.run(ZkLockAopAutoConfigurationTests::assertLocked);
	}

	@Test
	void locksWithoutAspectJ() {
		this.runner.withClassLoader(new FilteredClassLoader("org.aspectj")).run((context) -> {
			assertLocked(context);
			assertThat(AopUtils.isCglibProxy(context.getBean("shop", Shop.class))).isTrue();
		});
	}

	@Test
	void locksWhenNobodyElseAsksForProxies() {
		this.bare.run(ZkLockAopAutoConfigurationTests::assertLocked);
		this.runner.withPropertyValues("spring.aop.auto=false").run(ZkLockAopAutoConfigurationTests::assertLocked);
	}

	@Test
	void locksThroughInterfaceProxies() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.withBean("task", Runnable.class, Task::new)
			.run((context) -> {
				Runnable task = context.getBean("task", Runnable.class);
				assertThat(AopUtils.isJdkDynamicProxy(task)).isTrue();
				task.run();
			});
	}

	@Test
	void isOffWhenDisabled() {
		this.runner.withPropertyValues("zk-lock.aop.enabled=false").run((context) -> {
			assertThat(context).hasSingleBean(LockClient.class).doesNotHaveBean(DistributedLockAdvisor.class);
			assertThat(context.getBean("shop", Shop.class).holdsItsLock()).isFalse();
		});
		this.runner.withPropertyValues("zk-lock.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(LockClient.class).doesNotHaveBean(DistributedLockAdvisor.class);
			assertThat(context.getBean("shop", Shop.class).holdsItsLock()).isFalse();
		});
	}

	@Test
	void lockedBeansWithoutLockClientAreRefused() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAopAutoConfiguration.class))
			.withBean("shop", Shop.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(NoSuchBeanDefinitionException.class)
				.hasMessageContaining(LockClient.class.getName()));
	}

	@Test
	void applicationWithoutLockedBeansNeedsNoLockClient() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAopAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void orderIsConfigurable() {
		this.runner.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER));
		this.runner.withPropertyValues("zk-lock.aop.order=42")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(42));
	}

	@Test
	void listenerThatUsesALockedBeanDoesNotKeepTheBeanFromBeingLocked() {
		this.runner.withUserConfiguration(ListenerWithLockedBean.class)
			.run(ZkLockAopAutoConfigurationTests::assertLocked);
	}

	@Test
	void lazyBeansAreLocked() {
		this.runner.withUserConfiguration(LazyBeans.class)
			.run((context) -> assertThat(context.getBean("lazyShop", LazyShop.class).holdsItsLock()).isTrue());
	}

	@Test
	@Tag("slow")
	void bothStrategiesExcludeOtherApplications() {
		this.runner.run((context) -> {
			LockClient other = context.getBean(LockClient.class);
			Shop shop = context.getBean("shop", Shop.class);
			for (String strategy : new String[] { "naive", "sequential" }) {
				LockRequest request = LockRequest.exclusive("stock-1").strategy(strategy).owner(new Object());
				try (LockHandle held = other.acquire(request)) {
					assertThat(held.isHeld()).isTrue();
					assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> shop.change(1));
					assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> shop.changeNaively(1));
					assertThat(shop.tryChange(1)).isNull();
				}
				assertThat(shop.change(1)).isEqualTo("changed");
				assertThat(shop.changeNaively(1)).isEqualTo("changed");
				assertThat(shop.tryChange(1)).isEqualTo("changed");
			}
		});
	}

	@Test
	void twoApplicationsOfOneServerExcludeEachOther() {
		this.runner.run((first) -> this.runner
			.withPropertyValues(
					"zk-lock.connect-string=" + first.getBean(ZkLockConnectionDetails.class).connectString())
			.run((second) -> {
				CountDownLatch running = new CountDownLatch(1);
				CountDownLatch mayEnd = new CountDownLatch(1);
				ExecutorService executor = Executors.newSingleThreadExecutor();
				try {
					Future<String> held = executor
						.submit(() -> first.getBean(Shop.class).changeSlowly(1, running, mayEnd));
					assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
					assertThatExceptionOfType(LockTimeoutException.class)
						.isThrownBy(() -> second.getBean(Shop.class).change(1));
					assertThat(second.getBean(Shop.class).change(2)).isEqualTo("changed");
					mayEnd.countDown();
					assertThat(held.get(10, TimeUnit.SECONDS)).isEqualTo("changed");
					assertThat(second.getBean(Shop.class).waitAndChange(1)).isEqualTo("changed");
				}
				finally {
					mayEnd.countDown();
					executor.shutdownNow();
				}
			}));
	}

	@Test
	void readersShareAndWritersExclude() {
		this.runner.run((context) -> {
			LockClient other = context.getBean(LockClient.class);
			Shop shop = context.getBean("shop", Shop.class);
			try (LockHandle reader = other.acquire(LockRequest.read("stock-1").owner("reader"))) {
				assertThat(reader.isHeld()).isTrue();
				assertThat(shop.read(1)).isEqualTo("read");
				assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> shop.write(1));
			}
			assertThat(shop.write(1)).isEqualTo("written");
		});
	}

	@Test
	void methodThatRunsTooLongHasLostItsLock() {
		this.runner.run((context) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> context.getBean("shop", Shop.class).holdTooLong()));
	}

	@Test
	void lockedMethodMayCallAnotherLockedMethodWithTheSameKey() {
		this.runner
			.run((context) -> assertThat(context.getBean("shop", Shop.class).changeThrough(context.getBean(Shop.class)))
				.isEqualTo("changed"));
	}

	static class Task implements Runnable {

		@Override
		@DistributedLock
		public void run() {
			assertThat(LockContext.current().isHeld()).isTrue();
		}

	}

	public static class Shop {

		@DistributedLock
		public boolean holdsItsLock() {
			return LockContext.find().map(LockHandle::isHeld).orElse(false);
		}

		@DistributedLock(key = "stock-#{#id}", timeout = "3s", strategy = "sequential")
		public String change(int id) {
			return "changed";
		}

		@DistributedLock(key = "stock-#{#id}", timeout = "10s")
		public String waitAndChange(int id) {
			return "changed";
		}

		@DistributedLock(key = "stock-1")
		public String changeThrough(Shop shop) {
			return shop.change(1);
		}

		@DistributedLock(key = "stock-#{#id}", timeout = "3s", strategy = "naive")
		public String changeNaively(int id) {
			return "changed";
		}

		@DistributedLock(key = "stock-#{#id}", timeout = "3s", onBusy = OnBusy.SKIP)
		public String tryChange(int id) {
			return "changed";
		}

		@DistributedLock(key = "stock-#{#id}", timeout = "3s", mode = LockMode.READ)
		public String read(int id) {
			return "read";
		}

		@DistributedLock(key = "stock-#{#id}", timeout = "3s", mode = LockMode.WRITE)
		public String write(int id) {
			return "written";
		}

		@DistributedLock(key = "stock-#{#id}")
		public String changeSlowly(int id, CountDownLatch running, CountDownLatch mayEnd) throws InterruptedException {
			running.countDown();
			assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
			return "changed";
		}

		@DistributedLock(key = "long", maxHold = "100ms")
		public void holdTooLong() throws InterruptedException {
			CountDownLatch lost = new CountDownLatch(1);
			LockContext.current().onLost(lost::countDown);
			assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
		}

	}

	static class LazyShop extends Shop {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		LazyShop lazyShop() {
			return new LazyShop();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ListenerWithLockedBean {

		@Bean
		LockListener listener(Shop shop) {
			assertThat(AopUtils.isAopProxy(shop)).isTrue();
			return new LockListener() {
			};
		}

	}

}
