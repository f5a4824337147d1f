package io.github.zklock.sample.docs;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

import io.github.zklock.LockListener;
import io.github.zklock.LockTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The one-line lock of a job, in two instances.
 */
class ScheduledTests {

	private final AtomicInteger runs = new AtomicInteger();

	private final AtomicInteger skips = new AtomicInteger();

	private final CountDownLatch end = new CountDownLatch(1);

	private void work() {
		this.runs.incrementAndGet();
		try {
			assertThat(this.end.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void jobRunsOnOneInstanceAndTheOtherSkips() throws Exception {
		try (TestingServer server = new TestingServer()) {
			ApplicationContextRunner instance = new ApplicationContextRunner().withUserConfiguration(Application.class)
				.withPropertyValues("zk-lock.connect-string=" + server.getConnectString(), "report.cron=* * * * * *",
						"spring.datasource.generate-unique-name=true", "spring.sql.init.mode=never")
				.withBean(Report.class, () -> new Report(this::work))
				.withBean(LockListener.class, () -> new Skips(this.skips));
			instance.run((first) -> instance.run((second) -> {
				await().atMost(Duration.ofSeconds(20)).until(() -> this.runs.get() > 0 && this.skips.get() >= 2);
				assertThat(this.runs).hasValue(1);
				this.end.countDown();
			}));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class Application {

	}

	private record Skips(AtomicInteger count) implements LockListener {

		@Override
		public void notAcquired(Event event, Throwable cause) {
			if (cause instanceof LockTimeoutException) {
				this.count.incrementAndGet();
			}
		}

	}

}
