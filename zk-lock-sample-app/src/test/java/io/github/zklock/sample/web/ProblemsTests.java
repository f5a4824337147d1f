package io.github.zklock.sample.web;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = "shop.lock-timeout=100ms")
@AutoConfigureMockMvc
class ProblemsTests {

	private static final String ORDER = "{\"eventId\": \"concert\", \"buyer\": \"ada\", \"quantity\": 1}";

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockClient lockClient;

	@Test
	void aBusyEventIsLockedAndSaysWhenToTryAgain() throws Exception {
		LockRequest request = LockRequest.exclusive("event:concert").timeout(Duration.ofSeconds(5));
		// The requests run on this thread, which would re-enter
		try (LockHandle lock = this.lockClient.acquire(request.owner("another client"))) {
			assertThat(this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content(ORDER))
				.hasStatus(HttpStatus.LOCKED)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.hasHeader(HttpHeaders.RETRY_AFTER, "1")
				.bodyJson()
				.hasPathSatisfying("$.type", (type) -> assertThat(type).isEqualTo("urn:zk-lock:busy"))
				.hasPathSatisfying("$.detail", (detail) -> assertThat(detail)
					.isEqualTo("Another request is being processed. Try again later."));
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					{"eventId": "../x", "buyer": "ada", "quantity": 1} | eventId must be 1 to 64 letters, digits, dots, hyphens or underscores, a letter or digit first
					{"buyer": "ada", "quantity": 1}                    | eventId must not be null
					{"eventId": "x", "buyer": " ", "quantity": 1}      | buyer must not be blank
					{"eventId": "x", "buyer": "ada", "quantity": 11}   | quantity must be less than or equal to 10
					{"eventId": "x", "buyer": "ada"}                   | quantity must not be null
					{"eventId": "x", "buyer": "ada", "quantity": 0}    | quantity must be greater than or equal to 1
					""")
	void aBadOrderIsABadRequest(String order, String error) {
		assertThat(this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content(order))
			.hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors[0]")
			.isEqualTo(error);
	}

	@Test
	void brokenJsonIsABadRequest() {
		assertThat(this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content("{"))
			.hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					-1     | {"capacity": -1}     | capacity must be greater than or equal to 0
					x      | {"capacity": 100001} | capacity must be less than or equal to 100000
					x      | {}                   | capacity must not be null
					a%20b  | {"capacity": 1}      | id must be 1 to 64 letters, digits, dots, hyphens or underscores, a letter or digit first
					""")
	void badStockIsABadRequest(String id, String stock, String error) {
		assertThat(
				this.mvc.put().uri("/events/" + id + "/stock").contentType(MediaType.APPLICATION_JSON).content(stock))
			.hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors")
			.asArray()
			.contains(error);
	}

}
