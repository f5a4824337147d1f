package io.github.zklock.sample.contest;

import java.time.Duration;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import io.github.zklock.sample.contest.Contest.KeyNode;
import io.github.zklock.sample.contest.ContestProgress.Left;
import io.github.zklock.sample.contest.ContestProgress.Phase;
import io.github.zklock.sample.contest.ContestProgress.Score;
import io.github.zklock.sample.contest.ContestReport.Turn;
import io.github.zklock.sample.contest.ContestReport.Violations;
import io.github.zklock.sample.shop.BoxOffice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ContestTests {

	private static final int CLIENTS = 20;

	private static TestingServer server;

	private static EmbeddedDatabase database;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
		database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
			.generateUniqueName(true)
			.addScript("schema.sql")
			.build();
	}

	@AfterAll
	static void stop() throws Exception {
		database.shutdown();
		server.close();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE", "sequential, WRITE", "naive, EXCLUSIVE", "naive, WRITE" })
	void withALockEverybodyIsServedAloneAndGetsATicketOfHisOwn(String strategy, ContestMode mode) throws Exception {
		ContestReport report = run(strategy, mode, Duration.ofSeconds(30));
		assertThat(report.served()).isEqualTo(CLIENTS);
		assertThat(report.violations()).isEqualTo(new Violations(0, 0, 0, 0));
		assertThat(report.visits()).extracting(Turn::ticket).doesNotHaveDuplicates();
		assertThat(report.tickets().sold()).isEqualTo(CLIENTS);
		assertThat(report.tickets().remaining()).isZero();
		assertThat(report.waitMillis().max()).isGreaterThanOrEqualTo(report.waitMillis().p50());
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE", "WRITE" })
	void aSequentialReleaseWakesOneClientAndAFewMoreAtTheFront(ContestMode mode) throws Exception {
		ContestReport report = run("sequential", mode, Duration.ofSeconds(30));
		double first = (mode == ContestMode.EXCLUSIVE) ? 2 + 3 + 4 - 3 : 0;
		assertThat(report.watchEvents().perRelease()).isBetween(0.5, 1 + first / CLIENTS);
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE", "WRITE" })
	void aNaiveReleaseWakesTheHerd(ContestMode mode) throws Exception {
		ContestReport report = run("naive", mode, Duration.ofSeconds(30));
		assertThat(report.watchEvents().perRelease()).isGreaterThan(CLIENTS / 4.0);
	}

	@Test
	void theObserverSeesTheSequentialQueueGrowAndShrink() throws Exception {
		ContestReport report = run("sequential", ContestMode.EXCLUSIVE, Duration.ofSeconds(30));
		assertThat(report.line().longest()).isGreaterThan(CLIENTS / 2);
		assertThat(report.line().length()).last().extracting("count").isEqualTo(0);
		assertThat(report.waiting()).last().extracting("count").isEqualTo(0);
	}

	@Test
	void withoutALockTicketsAreSoldTwice() throws Exception {
		ContestReport report = run("sequential", ContestMode.NONE, Duration.ofSeconds(30));
		assertThat(report.served()).isEqualTo(CLIENTS);
		assertThat(report.violations().soldTwice()).isPositive();
		assertThat(report.violations().overlaps()).isPositive();
		assertThat(report.violations().lostUpdates()).isPositive();
		assertThat(report.tickets().remaining()).isPositive();
		assertThat(report.watchEvents()).isNull();
		assertThat(report.line()).isNull();
	}

	@Test
	void whoDoesNotWaitIsTurnedAwayAndTheOthersAreServed() throws Exception {
		ContestReport report = run("sequential", ContestMode.EXCLUSIVE, Duration.ZERO);
		assertThat(report.served()).isBetween(1, CLIENTS - 1);
		assertThat(report.violations()).isEqualTo(new Violations(0, 0, 0, 0));
		assertThat(report.visits()).filteredOn((turn) -> turn.failure() != null)
			.hasSize(CLIENTS - report.served())
			.allSatisfy((turn) -> assertThat(turn.failure()).contains("Could not acquire lock"));
	}

	@Test
	void aContestTellsHowFarItIs() throws Exception {
		ContestSpec spec = new ContestSpec("sequential", ContestMode.EXCLUSIVE, CLIENTS, Duration.ZERO,
				Duration.ofSeconds(30));
		ContestProgress progress = new ContestProgress();
		assertThat(progress.phase()).isEqualTo(Phase.CONNECTING);
		assertThat(progress.score()).isEqualTo(Score.NONE);
		ContestReport report = contest("progress", spec, progress).run();
		assertThat(progress.phase()).isEqualTo(Phase.LEAVING);
		assertThat(progress.clientsConnected()).isEqualTo(CLIENTS);
		assertThat(progress.left()).hasSize(CLIENTS).extracting(Left::watchEvents).isSorted();
		assertThat(progress.score().served()).isEqualTo(CLIENTS);
		assertThat(progress.score().waitMillis()).isEqualTo(report.waitMillis());
	}

	@Test
	void aContestThatWasCancelledBeforeEndsAtOnce() {
		ContestSpec spec = new ContestSpec("sequential", ContestMode.EXCLUSIVE, CLIENTS, Duration.ZERO,
				Duration.ofSeconds(30));
		ContestProgress progress = new ContestProgress();
		progress.cancel();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> contest("cancelled", spec, progress).run());
		assertThat(progress.clientsConnected()).isZero();
	}

	private ContestReport run(String strategy, ContestMode mode, Duration timeout) throws InterruptedException {
		ContestSpec spec = new ContestSpec(strategy, mode, CLIENTS, Duration.ofMillis(10), timeout);
		String id = "test-%s-%s-%d".formatted(strategy, mode, System.nanoTime());
		return contest(id, spec, new ContestProgress()).run();
	}

	private static Contest contest(String id, ContestSpec spec, ContestProgress progress) {
		return new Contest(id, new KeyNode(server.getConnectString(), "/contests", id), spec,
				new BoxOffice(JdbcClient.create(database)), progress);
	}

}
