package io.github.zklock.sample.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What people send who mean no good, over real HTTP.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ActiveProfiles("lab")
@Tag("slow")
class HostileInputTests {

	private static final String HUGE = "9".repeat(100_000);

	private final HttpClient client = HttpClient.newHttpClient();

	private String url;

	@Autowired
	private JdbcClient jdbc;

	@BeforeEach
	void putTicketsOnSale(@LocalServerPort int port) throws Exception {
		this.url = "http://localhost:" + port;
		assertThat(send("PUT", "/events/hostile/stock", "{\"capacity\": 10}").statusCode()).isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "'; drop table ticket; --", "\" or \"\"=\"", "<script>alert(1)</script>",
			"../../etc/passwd", "${jndi:ldap://localhost/x}", "#{T(java.lang.Runtime).getRuntime().exit(1)}", "%s%n%d",
			"\\", "Ада Лавлейс", "愛", "\uD83D\uDC69\uD83C\uDFFD" })
	void aStrangeNameIsANameLikeAnyOther(String buyer) throws Exception {
		HttpResponse<String> answer = order(Map.of("eventId", "hostile", "buyer", buyer, "quantity", 1));
		assertThat(answer.statusCode()).isEqualTo(201);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
		assertThat(JsonMapper.shared().readTree(answer.body()).path("buyer").asString()).isEqualTo(buyer);
		assertThat(this.jdbc.sql("select buyer from ticket where event_id = 'hostile'").query(String.class).list())
			.containsExactly(buyer);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "a\u0000b", "a\nb", "a\r\nX-Injected: b", "\u001B[31mred", "a\u202Eb", "a\u200Bb", "\uFEFFa" })
	void invisibleCharactersAreNoName(String buyer) throws Exception {
		assertRefused(order(Map.of("eventId", "hostile", "buyer", buyer, "quantity", 1)));
	}

	@Test
	void halfACharacterIsNoName() throws Exception {
		assertRefused(send("POST", "/orders", "{\"eventId\": \"hostile\", \"buyer\": \"\\ud83d\", \"quantity\": 1}"));
	}

	@Test
	void aNameHasAnEnd() throws Exception {
		assertThat(order(Map.of("eventId", "hostile", "buyer", "x".repeat(64), "quantity", 1)).statusCode())
			.isEqualTo(201);
		assertRefused(order(Map.of("eventId", "hostile", "buyer", "x".repeat(65), "quantity", 1)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "../x", "..", ".", "a/b", "a\\b", "a'b", "a\"b", "<script>", "a b", "a\u0000", "é", "a:b",
			"${x}", "#{1}", "-a", "" })
	void anEventIdIsPlain(String eventId) throws Exception {
		assertRefused(order(Map.of("eventId", eventId, "buyer", "ada", "quantity", 1)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "%2e%2e", "a%0d%0aX-Injected:%20b", "%3Cscript%3E", "a'b", "a%22b", "%C3%A9", "a%20b",
			"a%3Ab", "a%09b" })
	void anEventIdInAPathIsPlainToo(String eventId) throws Exception {
		HttpResponse<String> answer = send("GET", "/events/" + eventId + "/stock", "");
		assertThat(answer.statusCode()).isBetween(400, 404);
		assertThat(answer.headers().firstValue("X-Injected")).isEmpty();
		assertThat(answer.body()).doesNotContain("<script>");
	}

	/** The web server itself refuses these. */
	@ParameterizedTest
	@ValueSource(strings = { "..%2f..%2fetc", "a%00b", "a%5Cb" })
	void aPathHasNoHiddenSeparators(String eventId) throws Exception {
		assertThat(send("GET", "/events/" + eventId + "/stock", "").statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1.7", "\"1\"", "true", "null", "[]", "1e2", "2147483648", "-1", "99999999999999999999" })
	void aQuantityIsASmallWholeNumber(String quantity) throws Exception {
		assertRefused(send("POST", "/orders",
				"{\"eventId\": \"hostile\", \"buyer\": \"ada\", \"quantity\": %s}".formatted(quantity)));
	}

	@Test
	void aHugeOrderIsNotRead() throws Exception {
		assertRefused(order(Map.of("eventId", "hostile", "buyer", HUGE, "quantity", 1)));
		assertRefused(send("POST", "/orders", "[".repeat(100_000)));
		assertRefused(send("POST", "/orders", "{\"quantity\": " + HUGE + "}"));
		assertRefused(send("POST", "/orders", "{\"a\": 1, ".repeat(100_000)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients=501", "clients=-1", "clients=99999999999", "clients=1.5", "clients=%3Cscript%3E",
			"strategy=../x", "strategy=%3Cscript%3E", "strategy=%00", "mode=%27;--", "mode=EXCLUSIVE",
			"thinkMillis=1001", "thinkMillis=-1", "timeoutMillis=600001", "timeoutMillis=PT1S" })
	void aContestHasBounds(String query) throws Exception {
		assertRefused(send("POST", "/contention?" + query, ""));
	}

	@Test
	void aPageThatIsNotThereIsNoPageOfTheirs() throws Exception {
		HttpResponse<String> answer = send("GET", "/%3Cscript%3Ealert(1)%3C/script%3E", "");
		assertThat(answer.statusCode()).isEqualTo(404);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
	}

	private HttpResponse<String> order(Map<String, ?> order) throws Exception {
		return send("POST", "/orders", JsonMapper.shared().writeValueAsString(order));
	}

	private HttpResponse<String> send(String method, String path, String body) throws Exception {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.url + path))
			.header("Content-Type", "application/json")
			.header("Accept", "text/html, */*")
			.method(method, BodyPublishers.ofString(body))
			.build();
		return this.client.send(request, BodyHandlers.ofString());
	}

	private void assertRefused(HttpResponse<String> answer) {
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(answer.headers().firstValue("X-Injected")).isEmpty();
		JsonNode problem = JsonMapper.shared().readTree(answer.body());
		assertThat(problem.path("status").asInt()).isEqualTo(400);
		assertThat(answer.body().length()).as("what comes back is short").isLessThan(2_000);
	}

}
