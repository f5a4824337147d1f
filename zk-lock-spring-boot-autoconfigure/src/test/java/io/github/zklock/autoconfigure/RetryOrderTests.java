package io.github.zklock.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetrySpec;
import org.springframework.resilience.retry.SimpleRetryInterceptor;
import reactor.core.publisher.Mono;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.aop.InvalidLockDefinitionException;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Where the lock is beside Spring's own {@code @Retryable}, which came with Spring 7.
 */
class RetryOrderTests {

	private static final AtomicInteger RUNS = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Retries.class)
		.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + UUID.randomUUID());

	@BeforeEach
	void none() {
		RUNS.set(0);
	}

	@ParameterizedTest
	@ValueSource(classes = { Nightly.class, NightlyOfClass.class, NightlyFuture.class, NightlyPublisher.class,
			NightlyOthers.class, NightlyLost.class, NightlyUnavailablePublisher.class })
	void aJobIsRefusedThatWouldNotBeDueWhenItIsRepeated(Class<?> job) {
		this.runner.withBean(job)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("run(): @Retryable is outside of a job with notAgainWithin")
				.hasMessageContaining("RetryTemplate"));
	}

	@Test
	void aJobThatWasNotStartedMayBeRepeated() {
		this.runner
			.withBean(LockClient.class,
					() -> unavailableAtFirst(MemoryLockClient.builder().build(), new AtomicBoolean()))
			.withBean(Unavailable.class)
			.run((context) -> {
				context.getBean(Unavailable.class).run();
				assertThat(RUNS).hasValue(1);
			});
	}

	@Test
	void whatRepeatsWithoutTheAnnotationIsNotJudged() {
		NameMatchMethodPointcut due = new NameMatchMethodPointcut();
		due.setClassFilter((type) -> Due.class.isAssignableFrom(type));
		due.setMappedName("run");
		DefaultPointcutAdvisor outside = new DefaultPointcutAdvisor(due, new SimpleRetryInterceptor(new MethodRetrySpec(
				(method, failure) -> failure instanceof LockUnavailableException, 2, Duration.ZERO)));
		outside.setOrder(Ordered.HIGHEST_PRECEDENCE);
		this.runner.withBean(Due.class).withBean(DefaultPointcutAdvisor.class, () -> outside).run((context) -> {
			context.getBean(Due.class).run();
			assertThat(RUNS).hasValue(1);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Replaced.class, ReplacedByMeta.class })
	void aJobThatTakesOverMayBeRepeatedWhenItsLockWasLost(Class<? extends Runnable> job) {
		this.runner.withBean(job).run((context) -> {
			context.getBean(job).run();
			assertThat(RUNS).hasValue(2);
		});
	}

	@Test
	void aJobMayRepeatWithinItself() {
		new ApplicationContextRunner().withUserConfiguration(RetriesInside.class)
			.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + UUID.randomUUID())
			.withBean(Nightly.class)
			.run((context) -> {
				assertThatIllegalStateException().isThrownBy(context.getBean(Nightly.class)::run);
				assertThat(RUNS).hasValue(3);
			});
	}

	@Test
	void othersAreRepeatedWithALockForEachAttempt() {
		this.runner.withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThatIllegalStateException().isThrownBy(jobs::always);
			assertThat(RUNS).hasValue(3);
			jobs.onceAWhile();
			assertThat(RUNS).hasValue(4);
		});
	}

	@Test
	void aFutureThatFailsIsNotRepeated() {
		this.runner.withBean(Jobs.class).run((context) -> {
			try (LockHandle held = context.getBean(LockClient.class)
				.acquire(LockRequest.exclusive("busy").owner(new Object()))) {
				assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(context.getBean(Jobs.class)::busy);
				assertThat(RUNS).as("keys that were evaluated").hasValue(3);
				assertThat(context.getBean(Jobs.class).busyLater()).isCompletedExceptionally();
				assertThat(RUNS).as("keys that were evaluated").hasValue(4);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	private static LockClient unavailableAtFirst(LockClient client, AtomicBoolean answered) {
		return (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> {
					if (method.getName().endsWith("cquire") && !answered.getAndSet(true)) {
						throw new LockUnavailableException("planned");
					}
					Object result = method.invoke(client, arguments);
					return (result instanceof LockClient view) ? unavailableAtFirst(view, answered) : result;
				});
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Retries extends Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(order = Ordered.HIGHEST_PRECEDENCE)
	static class RetriesInside extends Locks {

	}

	static class Nightly {

		@Retryable(maxRetries = 2, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public void run() {
			RUNS.incrementAndGet();
			throw new IllegalStateException("planned");
		}

	}

	@Retryable(maxRetries = 2, delay = 0)
	static class NightlyOfClass {

		@ClusterJob(key = "nightly", notAgainWithin = "10m", takesOver = true)
		public void run() {
		}

	}

	static class NightlyFuture {

		@Retryable(maxRetries = 2, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public CompletableFuture<Void> run() {
			throw new IllegalStateException("planned");
		}

	}

	static class NightlyPublisher {

		@Retryable(maxRetries = 2, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public Mono<Void> run() {
			return Mono.error(new IllegalStateException("planned"));
		}

	}

	static class NightlyUnavailablePublisher {

		@Retryable(includes = LockUnavailableException.class, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public Mono<Void> run() {
			return Mono.empty();
		}

	}

	static class Due {

		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public void run() {
			RUNS.incrementAndGet();
		}

	}

	static class NightlyOthers {

		@Retryable(includes = { LockUnavailableException.class, IllegalStateException.class }, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public void run() {
		}

	}

	static class NightlyLost {

		@Retryable(includes = LockLostException.class, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public void run() {
		}

	}

	@Retryable(maxRetries = 2, delay = 0)
	static class Unavailable {

		@Retryable(value = LockUnavailableException.class, maxRetries = 2, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m")
		public void run() {
			RUNS.incrementAndGet();
		}

	}

	static class Replaced implements Runnable {

		@Autowired
		private LockInspector inspector;

		@Override
		@Retryable(includes = { LockLostException.class, LockUnavailableException.class }, maxRetries = 2, delay = 0)
		@ClusterJob(key = "nightly", notAgainWithin = "10m", takesOver = true)
		public void run() {
			loseAtFirst();
		}

		void loseAtFirst() {
			if (RUNS.incrementAndGet() == 1) {
				LockHandle held = LockContext.current();
				this.inspector.forceRelease("nightly");
				await().until(() -> !held.isHeld());
			}
		}

	}

	@RetryableWhenLost
	static class ReplacedByMeta extends Replaced {

		@Override
		@ClusterJob(key = "nightly", notAgainWithin = "10m", takesOver = true)
		public void run() {
			loseAtFirst();
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Retryable(includes = LockLostException.class, maxRetries = 2, delay = 0)
	@interface RetryableWhenLost {

	}

	static class Jobs {

		@Retryable(maxRetries = 2, delay = 0)
		@ClusterJob(key = "always")
		public void always() {
			RUNS.incrementAndGet();
			throw new IllegalStateException("planned");
		}

		@ClusterJob(key = "once-a-while", notAgainWithin = "10m")
		public void onceAWhile() {
			RUNS.incrementAndGet();
		}

		@Retryable(maxRetries = 2, delay = 0)
		@DistributedLock(key = "#root.target.key()", timeout = "0")
		public void busy() {
		}

		@Retryable(maxRetries = 2, delay = 0)
		@DistributedLock(key = "#root.target.key()", timeout = "0")
		public CompletableFuture<Void> busyLater() {
			return CompletableFuture.completedFuture(null);
		}

		public String key() {
			RUNS.incrementAndGet();
			return "busy";
		}

	}

}
