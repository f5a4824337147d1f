package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.aop.DistributedLockAdvisor;
import io.github.zklock.inspect.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Where the lock is beside a real cache.
 */
class LockedCacheTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
				ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + LockedCacheTests.class.getName())
		.withBean(Prices.class)
		.withBean(ConcurrentMapCacheManager.class);

	private final ApplicationContextRunner outside = this.runner.withUserConfiguration(LockOutside.class);

	private final ApplicationContextRunner inside = this.runner.withUserConfiguration(LockInside.class);

	// Of an owner of its own, so that the caller's thread does not enter again
	private static LockHandle held(ApplicationContext context) {
		return context.getBean(LockClient.class).acquireAsync(LockRequest.exclusive("price")).join();
	}

	@Test
	void eachCallTakesTheLockAlsoOneThatTheCacheAnswers() {
		this.outside.run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(prices.price("a")).isEqualTo(1);
			assertThat(prices.price("a")).as("cached").isEqualTo(1);
			try (LockHandle other = held(context)) {
				assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> prices.price("a"));
				assertThat(other.isHeld()).isTrue();
			}
		});
	}

	@Test
	void aHitTakesNoLockWhereTheCacheIsOutside() {
		this.inside.run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(prices.price("a")).isEqualTo(1);
			try (LockHandle other = held(context)) {
				assertThat(prices.price("a")).as("cached").isEqualTo(1);
				assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> prices.price("b"));
				assertThat(other.isHeld()).isTrue();
			}
		});
	}

	@Test
	void ofCallersAtTheSameTimeOneComputesTheValue() {
		this.outside.run((context) -> assertThat(computedByTwo(context)).isEqualTo(1));
	}

	@Test
	void eachCallerThatWaitedComputesTheValueWhereTheCacheIsOutside() {
		this.inside.run((context) -> assertThat(computedByTwo(context)).isEqualTo(2));
	}

	private static int computedByTwo(ApplicationContext context) {
		Prices prices = context.getBean(Prices.class);
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try {
			LockHandle other = held(context);
			CompletableFuture<Void> both = CompletableFuture.allOf(
					CompletableFuture.runAsync(() -> prices.slowPrice("a"), threads),
					CompletableFuture.runAsync(() -> prices.slowPrice("a"), threads));
			Awaitility.await().until(() -> context.getBean(LockInspector.class).localWaiters().size() == 2);
			other.release();
			assertThat(both).succeedsWithin(Duration.ofSeconds(10));
		}
		finally {
			threads.shutdownNow();
		}
		return prices.computed();
	}

	static class Prices {

		private final AtomicInteger computed = new AtomicInteger();

		public int computed() {
			return this.computed.get();
		}

		@Cacheable("prices")
		@DistributedLock(key = "price", timeout = "0")
		public int price(String item) {
			return this.computed.incrementAndGet();
		}

		@Cacheable("prices")
		@DistributedLock(key = "price", timeout = "10s")
		public int slowPrice(String item) {
			return this.computed.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class LockOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = DistributedLockAdvisor.DEFAULT_ORDER - 1)
	static class LockInside {

	}

}
