package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The lab, a page that reads its events, and its buttons.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@AutoConfigureMockMvc
@ActiveProfiles("lab")
@DirtiesContext
abstract class LabFixture {

	static final Duration PATIENCE = Duration.ofSeconds(60);

	@Autowired
	MockMvcTester mvc;

	@LocalServerPort
	int port;

	LabStream page;

	@BeforeEach
	void open() {
		this.page = LabStream.open(this.port);
	}

	@AfterEach
	void leave() {
		this.mvc.delete().uri("/lab/contest").exchange();
		this.mvc.delete().uri("/lab/tools/hand").exchange();
		this.mvc.delete().uri("/lab/tools/frozen-holder").exchange();
		await().atMost(PATIENCE).until(() -> threads("lab-contest").isEmpty());
		this.page.close();
	}

	void start(String strategy, String mode, int clients, int sectionMillis) {
		assertThat(this.mvc.post().uri(contest(strategy, mode, clients, sectionMillis))).hasStatus(HttpStatus.ACCEPTED)
			.bodyJson()
			.extractingPath("$.contest")
			.asString()
			.satisfies((id) -> this.page.awaitValue("contest", "/id", id));
	}

	static String contest(String strategy, String mode, int clients, int sectionMillis) {
		return "/lab/contest?strategy=%s&mode=%s&clients=%d&sectionMillis=%d".formatted(strategy, mode, clients,
				sectionMillis);
	}

	int standing() {
		return this.page.await("line").path("total").asInt();
	}

	static List<String> threads(String part) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.contains(part))
			.toList();
	}

}
