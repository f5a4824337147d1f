package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import io.github.zklock.ClusterJob;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Jobs of two instances that run once for each firing.
 */
class OncePerFiringTests {

	private static final AtomicInteger RUNS = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + OncePerFiringTests.class.getName(),
				"within=10m");

	private static JobRun last(ApplicationContext context, String key) {
		LockInspector inspector = context.getBean(MemoryLockClient.class).inspector();
		return inspector.jobs().stream().filter((run) -> run.key().equals(key)).findFirst().orElseThrow();
	}

	@Test
	void ofTwoInstancesOneRunsTheJobOnce() {
		RUNS.set(0);
		this.runner.withUserConfiguration(Nightly.class)
			.run((one) -> this.runner.withUserConfiguration(Nightly.class).run((two) -> {
				one.getBean(Jobs.class).nightly();
				two.getBean(Jobs.class).nightly();
				one.getBean(Jobs.class).nightly();
				assertThat(RUNS).hasValue(1);
				await().untilAsserted(() -> assertThat(last(two, "nightly").outcome()).isEqualTo("ok"));
				assertThat(last(two, "nightly").within()).hasMinutes(10);
			}));
	}

	@Test
	void futuresAndPublishersRunOnceToo() {
		RUNS.set(0);
		this.runner.withUserConfiguration(Nightly.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.later().join()).isEqualTo(1);
			assertThat(jobs.later().join()).isNull();
			assertThat(jobs.stream().block()).isEqualTo(2);
			assertThat(jobs.stream().block()).isNull();
			assertThat(RUNS).hasValue(2);
			await().untilAsserted(() -> assertThat(last(context, "later").outcome()).isEqualTo("ok"));
			await().untilAsserted(() -> assertThat(last(context, "stream").outcome()).isEqualTo("ok"));
		});
	}

	@Test
	void aRunThatFailsIsOneAndSaysSo() {
		this.runner.withUserConfiguration(Nightly.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThatIllegalStateException().isThrownBy(jobs::failing).withMessage("planned");
			// Who releases waits for no server
			await().untilAsserted(() -> assertThat(last(context, "failing").outcome())
				.isEqualTo("failed: java.lang.IllegalStateException"));
			jobs.failing();
			assertThat(jobs.failingLater()).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(IllegalStateException.class)
				.withMessageContaining("planned");
			await().untilAsserted(() -> assertThat(last(context, "failing-later").outcome())
				.isEqualTo("failed: java.lang.IllegalStateException"));
		});
	}

	@Test
	void aPublisherThatIsCancelledHasFailed() {
		RUNS.set(0);
		this.runner.withUserConfiguration(Nightly.class).run((context) -> {
			Disposable run = context.getBean(Jobs.class).endless().subscribe();
			// Its mark is there before the method runs
			await().untilAsserted(() -> assertThat(RUNS).hasValue(1));
			assertThat(last(context, "endless").outcome()).isEqualTo("running");
			run.dispose();
			await().untilAsserted(() -> assertThat(last(context, "endless").outcome())
				.isEqualTo("failed: java.util.concurrent.CancellationException"));
		});
	}

	@Test
	void aJobThatMayTakeOverWaitsForTheOneThatRuns() {
		RUNS.set(0);
		this.runner.withUserConfiguration(Nightly.class).run((context) -> {
			LockHandle other = context.getBean(LockClient.class).acquire(LockRequest.exclusive("taken"));
			CompletableFuture<Void> job = CompletableFuture.runAsync(context.getBean(Jobs.class)::taken);
			await().during(Duration.ofMillis(200)).until(() -> !job.isDone());
			other.release();
			assertThat(job).succeedsWithin(Duration.ofSeconds(10));
			assertThat(RUNS).hasValue(1);
		});
	}

	@Test
	void eachLabelIsAJobOfItsOwn() {
		RUNS.set(0);
		this.runner.withUserConfiguration(Nightly.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.labelled("2026-11-23T03:00");
			jobs.labelled("2026-11-23T03:00");
			jobs.labelled("2026-11-24T03:00");
			assertThat(RUNS).hasValue(2);
		});
	}

	@Test
	void mistakesStopTheStart() {
		assertMistake(TooLong.class, "notAgainWithin = \"400d\" is not positive, or longer than a year");
		assertMistake(NoUnit.class, "notAgainWithin = \"10\"");
		assertMistake(TakesOverAlone.class, "takesOver = \"true\" needs notAgainWithin");
	}

	private void assertMistake(Class<?> bean, String message) {
		this.runner.withBean(bean).run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	@Configuration(proxyBeanMethods = false)
	static class Nightly {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		@ClusterJob(key = "nightly", notAgainWithin = "${within}")
		public void nightly() {
			RUNS.incrementAndGet();
		}

		@ClusterJob(key = "failing-later", notAgainWithin = "10m")
		public CompletableFuture<Void> failingLater() {
			return CompletableFuture.runAsync(() -> {
				throw new IllegalStateException("planned");
			});
		}

		@ClusterJob(key = "later", notAgainWithin = "PT10M", takesOver = true)
		public CompletableFuture<Integer> later() {
			return CompletableFuture.supplyAsync(RUNS::incrementAndGet);
		}

		@ClusterJob(key = "taken", notAgainWithin = "10m", takesOver = true)
		public void taken() {
			RUNS.incrementAndGet();
		}

		@ClusterJob(key = "stream", notAgainWithin = "10m")
		public Mono<Integer> stream() {
			return Mono.fromSupplier(RUNS::incrementAndGet);
		}

		@ClusterJob(key = "endless", notAgainWithin = "10m")
		public Mono<Integer> endless() {
			return Mono.<Integer>never().doOnSubscribe((run) -> RUNS.incrementAndGet());
		}

		@ClusterJob(key = "failing", notAgainWithin = "10m")
		public void failing() {
			throw new IllegalStateException("planned");
		}

		@ClusterJob(key = "report-#{#label}", notAgainWithin = "366d")
		public void labelled(String label) {
			RUNS.incrementAndGet();
		}

	}

	static class TooLong {

		@ClusterJob(notAgainWithin = "400d")
		public void run() {
			// Never
		}

	}

	static class NoUnit {

		@ClusterJob(notAgainWithin = "10")
		public void run() {
			// Never
		}

	}

	static class TakesOverAlone {

		@ClusterJob(takesOver = true)
		public void run() {
			// Never
		}

	}

}
