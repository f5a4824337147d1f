package io.github.zklock.sample.lab;

import java.time.Duration;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Tag("slow")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@AutoConfigureMockMvc
@ActiveProfiles("lab")
@DirtiesContext
class LabOutageTests {

	private static final String CONTEST = "/lab/contest?strategy=sequential&mode=exclusive&clients=5&sectionMillis=1000";

	private static final String SHORT_CONTEST = "/lab/contest?strategy=sequential&mode=exclusive&clients=5&sectionMillis=1";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static TestingServer server;

	@Autowired
	private MockMvcTester mvc;

	@LocalServerPort
	private int port;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
	}

	@AfterAll
	static void stop() throws Exception {
		server.close();
	}

	@DynamicPropertySource
	static void useTheServer(DynamicPropertyRegistry registry) {
		registry.add("zk-lock.connect-string", () -> server.getConnectString());
	}

	@Test
	void aContestCanBeCancelledInAnOutageAndAnotherOneStartedAfterIt() throws Exception {
		try (LabStream page = LabStream.open(this.port)) {
			assertThat(this.mvc.post().uri(CONTEST)).hasStatus(HttpStatus.ACCEPTED);
			page.awaitStage("RUNNING");
			server.stop();
			page.awaitValue("state", "/zookeeper/state", "SUSPENDED");
			assertThat(this.mvc.delete().uri("/lab/contest")).hasStatus(HttpStatus.NO_CONTENT);
			page.awaitStage("CANCELLED");
			await().atMost(PATIENCE)
				.until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getName().contains("contest-")));
			assertThat(this.mvc.post().uri(CONTEST)).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.hasHeader(HttpHeaders.RETRY_AFTER, "5");
			assertThat(this.mvc.post().uri("/lab/tools/expire-session")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
			server.restart();
			page.awaitValue("state", "/zookeeper/state", "CONNECTED");
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.mvc.post().uri(SHORT_CONTEST)).hasStatus(HttpStatus.ACCEPTED));
			page.awaitStage("FINISHED");
		}
	}

}
