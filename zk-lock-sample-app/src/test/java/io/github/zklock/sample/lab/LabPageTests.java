package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is there for pages, and what they are refused.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@AutoConfigureMockMvc
@ActiveProfiles("lab")
@DirtiesContext
class LabPageTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Feed feed;

	@LocalServerPort
	private int port;

	@Test
	@Tag("slow")
	void aPageThatHasGoneIsForgotten() {
		int before = this.feed.pages();
		LabStream.open(this.port).close();
		await().atMost(PATIENCE).until(() -> this.feed.pages() <= before);
	}

	@Test
	void aHeadOfTheEventsIsNoPage() {
		int before = this.feed.pages();
		assertThat(RestClient.create("http://localhost:" + this.port)
			.head()
			.uri("/lab/events")
			.retrieve()
			.toBodilessEntity()
			.getHeaders()
			.getContentType()).isEqualTo(MediaType.TEXT_EVENT_STREAM);
		assertThat(this.feed.pages()).isLessThanOrEqualTo(before);
	}

	@ParameterizedTest
	@CsvSource({ "clients=0, clients must be greater than or equal to 1",
			"clients=501, clients must be less than or equal to 500",
			"sectionMillis=-1, sectionMillis must be greater than or equal to 0",
			"sectionMillis=1001, sectionMillis must be less than or equal to 1000",
			"strategy=../fair, strategy must be naive or sequential",
			"mode=<b>, 'mode must be exclusive, write or none'" })
	void inputOutOfBoundsIsABadRequest(String wrong, String error) {
		String name = wrong.substring(0, wrong.indexOf('='));
		assertThat(this.mvc.post()
			.uri("/lab/contest")
			.param("strategy", "naive")
			.param("mode", "exclusive")
			.param("clients", "2")
			.param("sectionMillis", "1")
			.with((request) -> {
				request.setParameter(name, wrong.substring(wrong.indexOf('=') + 1));
				return request;
			})).hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors[0]")
			.isEqualTo(error);
	}

	@ParameterizedTest
	@ValueSource(strings = { "cross-site", "same-site" })
	void aPageFromElsewherePressesNoButton(String site) {
		assertThat(this.mvc.post().uri("/lab/tools/expire-session").header("Sec-Fetch-Site", site))
			.hasStatus(HttpStatus.FORBIDDEN)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://evil.example", "http://localhost:81", "null" })
	void anOriginFromElsewherePressesNoButtonEither(String origin) {
		assertThat(this.mvc.post().uri("/lab/tools/expire-session").header("Origin", origin))
			.hasStatus(HttpStatus.FORBIDDEN)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void thePageItselfAndWhatIsNoBrowserMayPressButtons() {
		assertThat(this.mvc.delete().uri("/lab/tools/hand")).hasStatus(HttpStatus.NO_CONTENT);
		RestClient browser = RestClient.create("http://localhost:" + this.port);
		assertThat(browser.delete()
			.uri("/lab/tools/hand")
			.header("Origin", "http://localhost:" + this.port)
			.retrieve()
			.toBodilessEntity()
			.getStatusCode()).isEqualTo(HttpStatus.NO_CONTENT);
	}

	@ParameterizedTest
	@CsvSource({ "http://shop.example, shop.example, 204", "https://shop.example, shop.example, 204",
			"http://shop.example:8081, shop.example:8081, 204", "http://shop.example, shop.example:8081, 403",
			"http://shop.example, 'shop.example, inner.example', 204", "http://evil.example, shop.example, 403",
			"http://shop.example.evil.example, shop.example, 403" })
	void behindAProxyThePageHasTheProxysOrigin(String origin, String proxy, int status) {
		for (String header : List.of("Host", "X-Forwarded-Host")) {
			assertThat(this.mvc.delete()
				.uri("/lab/tools/hand")
				.header("Origin", origin)
				.header(header, proxy)
				.header("X-Forwarded-Proto", "http")).as(header).hasStatus(status);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/index.html", "/assets/lab.css", "/assets/app.js", "/assets/icon.svg",
			"/webjars/chart.js/4.5.1/dist/chart.umd.min.js" })
	void thePageIsThereAndTakesNothingFromElsewhere(String path) {
		assertThat(this.mvc.get().uri(path)).hasStatusOk()
			.hasHeader("Content-Security-Policy", PageHeaders.POLICY)
			.bodyText()
			.doesNotContain("//cdn", "<script>", "style=\"");
	}

	@Test
	void thePageIsWhatOneFindsFirst() {
		assertThat(RestClient.create("http://localhost:" + this.port).get().uri("/").retrieve().toEntity(String.class))
			.satisfies((page) -> assertThat(page.getHeaders().getFirst("Content-Security-Policy"))
				.isEqualTo(PageHeaders.POLICY))
			.satisfies((page) -> assertThat(page.getBody()).contains("<h1>Contention lab</h1>"));
	}

}
