package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import io.github.zklock.sample.SampleApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LabShutdownTests {

	@Test
	void anOpenPageAndARunningContestDoNotHoldUpTheEnd() {
		ConfigurableApplicationContext application = new SpringApplicationBuilder(SampleApplication.class).run(
				"--server.port=0", "--spring.datasource.url=jdbc:h2:mem:lab-shutdown",
				"--spring.lifecycle.timeout-per-shutdown-phase=5m");
		int port = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		try (LabStream page = LabStream.open(port)) {
			RestClient.create("http://localhost:" + port)
				.post()
				.uri("/lab/contest?strategy=sequential&mode=exclusive&clients=20&sectionMillis=1000")
				.retrieve()
				.toBodilessEntity();
			page.awaitStage("RUNNING");
			ContestRun run = Objects.requireNonNull(application.getBean(Lab.class).current());
			assertThat(CompletableFuture.runAsync(application::close)).succeedsWithin(Duration.ofMinutes(1));
			assertThat(run.view(0).stage()).isEqualTo(ContestRun.Stage.CANCELLED);
			assertThat(page.end()).succeedsWithin(Duration.ofSeconds(30));
		}
		finally {
			application.close();
		}
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("lab-") || name.startsWith("contest-")));
	}

}
