package io.github.zklock.sample.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dangerous buttons.
 */
class LabToolsTests extends LabFixture {

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
	@Tag("slow")
	void whatIsHeldByHandIsLostWithTheSession() {
		assertThat(this.mvc.put().uri("/lab/tools/hand?strategy=naive")).hasStatus(HttpStatus.ACCEPTED);
		this.page.awaitValue("state", "/tools/hand", "HELD");
		assertThat(this.mvc.post().uri("/lab/tools/expire-session")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitValue("state", "/tools/hand", "LOST");
		this.page.awaitValue("state", "/zookeeper/state", "CONNECTED");
	}

	@Test
	@Tag("slow")
	void aHolderThatIsFrozenCanBeLetGo() {
		assertThat(this.mvc.put().uri("/lab/tools/frozen-holder")).hasStatus(HttpStatus.ACCEPTED);
		this.page.awaitValue("state", "/tools/frozen", "FROZEN");
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(this.page.await("line").at("/standing/0").asString()).isEqualTo("frozen holder"));
		assertThat(this.mvc.delete().uri("/lab/tools/frozen-holder")).hasStatus(HttpStatus.NO_CONTENT);
		assertThat(this.page.awaitValue("state", "/tools/frozen", "NONE").path("notes").findValuesAsString("text"))
			.contains("The frozen holder was let go")
			.noneMatch((note) -> note.contains("is awake"));
		await().atMost(PATIENCE).until(() -> threads("lab-cable").isEmpty() && threads("lab-frozen-holder").isEmpty());
		await().atMost(PATIENCE)
			.until(() -> threads("-SendThread(").stream().noneMatch((name) -> name.contains("lab-")));
	}

	@Test
	@Tag("slow")
	void aContestEndsWhenTheLockThatKeepsContestsApartIsLost() {
		start("sequential", "exclusive", 5, 1000);
		this.page.awaitStage("RUNNING");
		assertThat(this.mvc.post().uri("/lab/tools/expire-session")).hasStatus(HttpStatus.NO_CONTENT);
		this.page.awaitStage("CANCELLED");
	}

}
