package io.github.zklock.sample.web;

import java.time.Duration;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a client over real HTTP is told when it has to come back later.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "shop.lock-timeout=300ms")
@DirtiesContext
@Tag("slow")
class RetryAfterTests {

	private static TestingServer server;

	@Autowired
	private LockClient lockClient;

	private RestClient client;

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

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.client = RestClient.builder()
			.baseUrl("http://localhost:" + port)
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.build();
	}

	@Test
	void aBusyEventIsLocked() throws Exception {
		try (LockHandle lock = this.lockClient
			.acquire(LockRequest.exclusive("event:concert").timeout(Duration.ofSeconds(30)))) {
			assertProblem(order(), HttpStatus.LOCKED, "busy", "1");
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void withoutZooKeeperTheShopIsUnavailableUntilItComesBack() throws Exception {
		server.stop();
		assertProblem(order(), HttpStatus.SERVICE_UNAVAILABLE, "unavailable", "5");
		server.restart();
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(
					this.client.get().uri("/events/concert/stock").retrieve().toBodilessEntity().getStatusCode())
				.isEqualTo(HttpStatus.OK));
	}

	private ResponseEntity<ProblemDetail> order() {
		return this.client.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"eventId\": \"concert\", \"buyer\": \"ada\", \"quantity\": 1}")
			.retrieve()
			.toEntity(ProblemDetail.class);
	}

	private static void assertProblem(ResponseEntity<ProblemDetail> answer, HttpStatus status, String type,
			String retryAfter) {
		assertThat(answer.getStatusCode()).isEqualTo(status);
		assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo(retryAfter);
		assertThat(answer.getBody()).satisfies((problem) -> {
			assertThat(problem.getType()).hasToString("urn:zk-lock:" + type);
			assertThat(problem.getStatus()).isEqualTo(status.value());
			assertThat(problem.getDetail()).endsWith("Try again later.");
		});
	}

}
