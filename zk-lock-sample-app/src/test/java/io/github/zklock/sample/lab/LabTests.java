package io.github.zklock.sample.lab;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Contests, as a page sees them.
 */
class LabTests extends LabFixture {

	@Autowired
	private CuratorFramework curator;

	@Autowired
	private LabKey key;

	@ParameterizedTest
	@CsvSource({ "naive, exclusive", "sequential, write" })
	void aPageIsNotifiedOfAContestToItsEnd(String strategy, String mode) {
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
	void aPageIsNotifiedOfTicketsThatAreSoldTwice() {
		start("sequential", "none", 10, 20);
		JsonNode contest = this.page.awaitStage("FINISHED");
		assertThat(contest.path("label").asString()).isEqualTo("none");
		assertThat(contest.at("/score/soldTwice").asInt()).isPositive();
	}

	@Test
	void aPageThatComesLateIsNotifiedOfAllTurns() {
		start("sequential", "exclusive", 5, 5);
		this.page.awaitStage("FINISHED");
		try (LabStream late = LabStream.open(this.port)) {
			late.awaitStage("FINISHED");
			assertThat(late.turns()).hasSize(5);
		}
	}

	@Test
	void theQueueIsShownAsItMoves() {
		start("sequential", "exclusive", 5, 1000);
		int seen = await().atMost(PATIENCE).until(this::standing, (standing) -> standing > 1);
		assertThat(this.page.await("line").path("standing"))
			.allSatisfy((standing) -> assertThat(standing.asString()).matches("client [1-5]"));
		await().atMost(PATIENCE).until(this::standing, (standing) -> standing != seen);
	}

	@Test
	@Tag("slow")
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

}
