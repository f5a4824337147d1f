package io.github.zklock.sample.shop;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A paused holder writes late, over real HTTP.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "shop.lock-timeout=30s")
@ActiveProfiles("lab")
class LateOrderTests {

	private static final String ORDER = "{\"eventId\": \"late\", \"buyer\": \"ada\", \"quantity\": 2}";

	@Autowired
	private TicketShop shop;

	private RestClient client;

	@BeforeEach
	void putTicketsOnSale(@LocalServerPort int port) {
		this.client = RestClient.builder()
			.baseUrl("http://localhost:" + port)
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.build();
		this.shop.replaceStock("late", 10);
	}

	@Test
	void theDatabaseRefusesWhatAHolderWritesAfterAPause() {
		ResponseEntity<ProblemDetail> answer = post("/late-orders", ProblemDetail.class);
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
		assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(answer.getBody().getType()).hasToString("urn:zk-lock:sample:late");
		assertThat(answer.getBody().getDetail())
			.matches("A later holder of its lock has changed event 'late', so fencing token \\d+ is refused "
					+ "and nothing was changed");
		assertThat(this.shop.stock("late")).as("what the next one bought").isEqualTo(new Stock("late", 10, 8, 2, 0));
	}

	@Test
	void withoutTheFenceAnUpdateIsLostAndTicketsAreSoldTwice() {
		ResponseEntity<Receipt> answer = post("/late-orders?fenced=false", Receipt.class);
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(answer.getBody().tickets()).containsExactly(9, 10);
		assertThat(this.shop.stock("late")).isEqualTo(new Stock("late", 10, 8, 4, 2));
	}

	@Test
	void theShopGoesOnAfterALateOrder() throws InterruptedException {
		post("/late-orders", ProblemDetail.class);
		assertThat(this.shop.order(new Order("late", "bob", 1)).tickets()).containsExactly(8);
	}

	private <T> ResponseEntity<T> post(String path, Class<T> type) {
		return this.client.post()
			.uri(path)
			.contentType(MediaType.APPLICATION_JSON)
			.body(ORDER)
			.retrieve()
			.toEntity(type);
	}

}
