package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SpringProperties;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderOnly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two threads call locked methods while the application starts, before there is a lock
 * client.
 */
class FirstCallsTests {

	private static final String STRICT = "spring.locking.strict";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + FirstCallsTests.class.getName(),
				"zk-lock.leader.names=billing");

	@BeforeEach
	void oneThreadAtATimeMakesBeans() {
		SpringProperties.setFlag(STRICT);
	}

	@AfterEach
	void severalDo() {
		SpringProperties.setProperty(STRICT, null);
	}

	@ParameterizedTest
	@ValueSource(classes = { Orders.class, Billing.class })
	void oneThatHoldsSpringsLockDoesNotWaitForOneThatWaitsForIt(Class<? extends Runnable> locked) {
		CompletableFuture<Boolean> started = new CompletableFuture<>();
		Thread thread = new Thread(() -> this.runner.withUserConfiguration(CallsEarly.class)
			.withBean("locked", locked)
			.run((context) -> started.complete(context.getStartupFailure() == null)));
		thread.setDaemon(true);
		thread.start();
		assertThat(started).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	static class Orders implements Runnable {

		@Override
		@DistributedLock(key = "orders")
		public void run() {
		}

	}

	static class Billing implements Runnable {

		@Override
		@LeaderOnly("billing")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CallsEarly {

		@Bean
		InitializingBean caller(Runnable locked) {
			return () -> {
				Thread other = new Thread(locked);
				other.setDaemon(true);
				other.start();
				await().until(() -> other.getState() == Thread.State.WAITING);
				locked.run();
			};
		}

	}

}
