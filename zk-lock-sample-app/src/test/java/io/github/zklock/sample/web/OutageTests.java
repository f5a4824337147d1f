package io.github.zklock.sample.web;

import java.time.Duration;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(properties = "shop.lock-timeout=300ms")
@AutoConfigureMockMvc
@DirtiesContext
class OutageTests {

	private static TestingServer server;

	@Autowired
	private MockMvcTester mvc;

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
	void withoutZooKeeperTheShopIsUnavailableUntilItComesBack() throws Exception {
		server.stop();
		assertThat(this.mvc.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"eventId\": \"concert\", \"buyer\": \"ada\", \"quantity\": 1}"))
			.hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.hasHeader(HttpHeaders.RETRY_AFTER, "5")
			.bodyJson()
			.extractingPath("$.type")
			.isEqualTo("urn:zk-lock:sample:unavailable");
		server.restart();
		await().atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(this.mvc.get().uri("/events/concert/stock")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.sold")
				.isEqualTo(0));
	}

}
