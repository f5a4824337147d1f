package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@AutoConfigureMockMvc
@ActiveProfiles("lab")
@DirtiesContext
class LabTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private CuratorFramework curator;

	@Autowired
	private LabKey key;

	@Autowired
	private Feed feed;

	@LocalServerPort
	private int port;

	private LabStream page;

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

	@ParameterizedTest
	@CsvSource({ "naive, exclusive", "sequential, write" })
	void aPageIsToldOfAContestToItsEnd(String strategy, String mode) {
		start(strategy, mode, 10, 5);
		JsonNode contest = this.page.awaitStage("FINISHED");
		assertThat(contest.at("/score/served").asInt()).isEqualTo(10);
		assertThat(contest.at("/score/soldTwice").asInt()).isZero();
		assertThat(contest.at("/watchEvents").asLong()).isPositive();
		assertThat(this.page.turns()).hasSize(10)
			.extracting((turn) -> turn.path("token").asLong())
			.isSorted()
			.doesNotHaveDuplicates();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.page.await("results")).anySatisfy((result) -> {
			assertThat(result.path("label").asString()).isEqualTo(strategy);
			assertThat(result.path("afterRelease")).hasSize(10);
		}));
	}

	@Test
	void aPageIsToldOfTicketsThatAreSoldTwice() {
		start("sequential", "none", 10, 20);
		JsonNode contest = this.page.awaitStage("FINISHED");
		assertThat(contest.path("label").asString()).isEqualTo("none");
		assertThat(contest.at("/score/soldTwice").asInt()).isPositive();
	}

	@Test
	void aPageThatComesLateIsToldOfAllTurns() {
		start("sequential", "exclusive", 5, 5);
		this.page.awaitStage("FINISHED");
		try (LabStream late = LabStream.open(this.port)) {
			late.awaitStage("FINISHED");
			assertThat(late.turns()).hasSize(5);
		}
	}

	@Test
	void aPageThatHasGoneIsForgotten() {
		int before = this.feed.pages();
		LabStream.open(this.port).close();
		await().atMost(PATIENCE).until(() -> this.feed.pages() <= before);
	}

	@Test
	void theQueueIsShownAsItMoves() {
		start("sequential", "exclusive", 5, 1000);
		int seen = await().atMost(PATIENCE).until(this::standing, (standing) -> standing > 1);
		assertThat(this.page.await("line").path("standing"))
			.allSatisfy((standing) -> assertThat(standing.asString()).matches("client [1-5]"));
		await().atMost(PATIENCE).until(this::standing, (standing) -> standing != seen);
	}

	private int standing() {
		return this.page.await("line").path("total").asInt();
	}

	@Test
	void oneContestAtATime() {
		start("sequential", "exclusive", 5, 1000);
		assertThat(this.mvc.post().uri(contest("naive", "exclusive", 2, 0))).hasStatus(HttpStatus.LOCKED)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.hasHeader(HttpHeaders.RETRY_AFTER, "1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCancelledContestLeavesNothing(boolean atOnce) throws Exception {
		start("sequential", "exclusive", 20, 1000);
		if (!atOnce) {
			this.page.awaitStage("RUNNING");
		}
		assertThat(this.mvc.delete().uri("/lab/contest")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitStage("CANCELLED");
		// Those of the sessions have the name of who opened them, too
		await().atMost(PATIENCE).until(() -> threads("contest-").isEmpty());
		assertThat(this.curator.checkExists().forPath(this.key.path())).satisfiesAnyOf(
				(place) -> assertThat(place).isNull(), (place) -> assertThat(place.getNumChildren()).isZero());
		start("sequential", "exclusive", 2, 0);
		this.page.awaitStage("FINISHED");
	}

	private static List<String> threads(String part) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.contains(part))
			.toList();
	}

	@Test
	void whoHoldsByHandIsWaitedFor() {
		assertThat(this.mvc.put().uri("/lab/tools/hand")).hasStatus(HttpStatus.ACCEPTED);
		this.page.awaitValue("state", "/tools/hand", "HELD");
		start("sequential", "exclusive", 3, 0);
		await().atMost(PATIENCE).until(this::standing, (standing) -> standing == 4);
		assertThat(this.page.turns()).isEmpty();
		assertThat(this.mvc.delete().uri("/lab/tools/hand")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitStage("FINISHED");
		this.page.awaitValue("state", "/tools/hand", "NONE");
	}

	@Test
	void whatIsHeldByHandIsLostWithTheSession() {
		assertThat(this.mvc.put().uri("/lab/tools/hand?strategy=naive")).hasStatus(HttpStatus.ACCEPTED);
		this.page.awaitValue("state", "/tools/hand", "HELD");
		assertThat(this.mvc.post().uri("/lab/tools/expire-session")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitValue("state", "/tools/hand", "LOST");
		this.page.awaitValue("state", "/zookeeper/state", "CONNECTED");
	}

	@Test
	void aContestEndsWhenTheLockThatKeepsContestsApartIsLost() {
		start("sequential", "exclusive", 5, 1000);
		this.page.awaitStage("RUNNING");
		assertThat(this.mvc.post().uri("/lab/tools/expire-session")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitStage("CANCELLED");
	}

	@Test
	void aHolderThatIsFrozenCanBeLetGo() {
		assertThat(this.mvc.put().uri("/lab/tools/frozen-holder")).hasStatus(HttpStatus.ACCEPTED);
		this.page.awaitValue("state", "/tools/frozen", "FROZEN");
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(this.page.await("line").at("/standing/0").asString()).isEqualTo("frozen holder"));
		assertThat(this.mvc.delete().uri("/lab/tools/frozen-holder")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitValue("state", "/tools/frozen", "NONE");
		await().atMost(PATIENCE).until(() -> threads("lab-cable").isEmpty() && threads("lab-frozen-holder").isEmpty());
		await().atMost(PATIENCE)
			.until(() -> threads("-SendThread(").stream().noneMatch((name) -> name.contains("lab-")));
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

	private void start(String strategy, String mode, int clients, int sectionMillis) {
		assertThat(this.mvc.post().uri(contest(strategy, mode, clients, sectionMillis))).hasStatus(HttpStatus.ACCEPTED)
			.bodyJson()
			.extractingPath("$.contest")
			.asString()
			.satisfies((id) -> this.page.awaitValue("contest", "/id", id));
	}

	private static String contest(String strategy, String mode, int clients, int sectionMillis) {
		return "/lab/contest?strategy=%s&mode=%s&clients=%d&sectionMillis=%d".formatted(strategy, mode, clients,
				sectionMillis);
	}

}
