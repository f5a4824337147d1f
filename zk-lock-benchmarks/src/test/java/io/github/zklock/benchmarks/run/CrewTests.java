package io.github.zklock.benchmarks.run;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;

import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.junit.jupiter.api.Test;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.Counters;
import io.github.zklock.benchmarks.worker.KeyChoice;
import io.github.zklock.benchmarks.worker.Load;
import io.github.zklock.benchmarks.worker.Tally;
import io.github.zklock.benchmarks.worker.WorkerMain;
import io.github.zklock.harness.ServerProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What workers do, and what is counted of it.
 */
class CrewTests extends CrewFixture {

	@Test
	void anOwnKeyIsCountedExactly() {
		try (Crew crew = crew(Contestant.STRICT, 1, 1, Load.of(KeyChoice.OWN))) {
			Turn turn = crew.turn(SHORT, SHORT);
			assertThat(turn.requests()).isEqualTo(3);
			assertThat(turn.transactions()).isEqualTo(2);
			assertThat(turn.places()).isEqualTo(1);
		}
	}

	@Test
	void theOtherBuildsClassesComeFirstInItsWorkersAlone() {
		try (Crew ours = crew(Contestant.SEQUENTIAL, 1, 1, Load.of(KeyChoice.OWN));
				Crew other = crew(Contestant.OTHER_BUILD, 1, 1, Load.of(KeyChoice.OWN))) {
			ours.heat(new Heat(1, 100, Duration.ofMinutes(1)));
			assertThat(ours.coldest()).isPositive();
			assertThatIllegalStateException().isThrownBy(() -> other.turn(SHORT, SHORT));
		}
		assertThat(directory.resolve("workers.log")).content().contains("ClassFormatError");
	}

	@Test
	void whoAsksNothingForMostLocksWaitsForNoAnswers() {
		try (Crew crew = crew(Contestant.RETAINED, 1, 1, Load.of(KeyChoice.OWN))) {
			Turn turn = crew.turn(SHORT, Duration.ofMillis(500));
			assertThat(turn.requests()).isLessThan(1);
			assertThat(new Awaited(site)
				.measure(new Result(Workload.OWN, Contestant.RETAINED, 1, List.of(turn), 0, OptionalDouble.empty())))
				.isEmpty();
		}
	}

	@Test
	void eachProcessIsHeatedUntilItWasGrantedEnough() {
		try (Crew crew = crew(Contestant.SEQUENTIAL, 2, 2, Load.of(KeyChoice.ONE).held(20_000))) {
			assertThat(crew.coldest()).isZero();
			crew.heat(new Heat(200, 100, Duration.ofMinutes(1)));
			assertThat(crew.coldest()).isGreaterThanOrEqualTo(200);
			long heated = crew.coldest();
			crew.heat(new Heat(200, 100, Duration.ofMinutes(1)));
			assertThat(crew.coldest()).isEqualTo(heated);
		}
	}

	// A tenure is of two locks then, and ends by a transaction at least
	@Test
	void withBriefTenuresFewLocksAreGrantedByATransaction() {
		try (Crew crew = crew(Contestant.SEQUENTIAL, 2, 2, Load.of(KeyChoice.ONE))) {
			Counters before = site.zooKeeper().counters();
			Tally tally = crew.heat(WorkerMain.OPEN_BRIEFLY, new Heat(1, 100, SHORT), Duration.ofSeconds(1));
			assertThat(site.zooKeeper().counters().since(before).transactions()).as("of %d locks", tally.total())
				.isGreaterThan(tally.total() / 4);
		}
	}

	// As each turn does, or what is compiled would be of sessions that go on
	@Test
	void whileItIsHeatedAWorkerConnectsAnewAgainAndAgain() throws Exception {
		try (Crew crew = crew(Contestant.CURATOR_SHARED, 1, 1, Load.of(KeyChoice.OWN))) {
			// Each session's worker, and who clears up behind it
			long enough = 4;
			// On a busy machine one session may take all that time to open
			for (int i = 0; connectionsWhileHeated(crew) < enough; i++) {
				assertThat(i).isLessThan(5);
			}
		}
	}

	private static long connectionsWhileHeated(Crew crew) throws Exception {
		long before = connections();
		crew.heat(WorkerMain.OPEN, new Heat(Integer.MAX_VALUE, 100, SHORT), Heat.SESSION.multipliedBy(3));
		return connections() - before;
	}

	@Test
	void heatingEndsInTime() {
		try (Crew crew = crew(Contestant.CURATOR_SHARED, 1, 1, Load.of(KeyChoice.OWN))) {
			crew.heat(new Heat(Integer.MAX_VALUE, 100, SHORT));
			assertThat(crew.coldest()).isPositive();
		}
	}

	@Test
	void whileItIsHeatedWorkersWithoutALockAreFoundOutToo() {
		try (Crew crew = crew(Contestant.NONE, 2, 4, Load.of(KeyChoice.ONE))) {
			assertThatExceptionOfType(ExclusionViolatedException.class)
				.isThrownBy(() -> crew.heat(new Heat(100_000_000, 100, Duration.ofSeconds(3))));
		}
	}

	@Test
	void theCompilersShareIsPartOfTheClients() {
		try (Crew crew = crew(Contestant.SEQUENTIAL, 1, 4, Load.of(KeyChoice.ONE))) {
			Turn cold = crew.turn(SHORT, Duration.ofMillis(500));
			assertThat(cold.compilerMicros()).isPositive().isLessThan(cold.clientMicros());
		}
	}

	@Test
	void callersComeAtTheRateThatIsWanted() {
		try (Crew crew = crew(Contestant.SEQUENTIAL, 2, 4, Load.of(KeyChoice.ONE))) {
			crew.heat(new Heat(100, 100, Duration.ofSeconds(10)));
			Turn turn = crew.serve(SHORT, Duration.ofSeconds(1), 200);
			// Five standard deviations
			assertThat(turn.waits().getTotalCount()).isBetween(130L, 270L);
			assertThat(turn.longest()).isGreaterThanOrEqualTo((long) (turn.waits().getMaxValue() * 0.99));
		}
	}

	@Test
	void workersWithoutALockAreFoundOut() {
		try (Crew crew = crew(Contestant.NONE, 2, 4, Load.of(KeyChoice.ONE).reading(50, 1000))) {
			assertThatExceptionOfType(ExclusionViolatedException.class)
				.isThrownBy(() -> crew.turn(SHORT, Duration.ofSeconds(1)))
				.withMessageStartingWith("no lock let two inside at once");
		}
	}

	@Test
	void theCanaryKnowsABlindCheck() {
		assertThatIllegalStateException()
			.isThrownBy(() -> Canary.check(site, Contestant.CURATOR_SHARED, Load.of(KeyChoice.ONE), SHORT))
			.withMessageContaining("Nobody has noticed");
	}

	@Test
	void oneReleaseWakesTheFrontOfAQueueAndAllInAHerd() {
		Herd herd = new Herd(site);
		assertThat(herd.measure(Contestant.SEQUENTIAL, 6).releases()).hasSize(2)
			.allMatch((release) -> release.watchEvents() >= 1 && release.watchEvents() <= 4);
		assertThat(herd.measure(Contestant.CURATOR_SHARED, 6).releases()).hasSize(2)
			.allMatch((release) -> release.watchEvents() == 1);
		assertThat(herd.measure(Contestant.NAIVE, 6).releases()).hasSize(2)
			.allMatch((release) -> release.watchEvents() == 6);
	}

	private static long connections() throws Exception {
		InetSocketAddress server = new ConnectStringParser(site.zooKeeper().connectString(0)).getServerAddresses()
			.get(0);
		String mntr = FourLetterWordMain.send4LetterWord(server.getHostString(), server.getPort(), "mntr");
		return Long.parseLong(ServerProcess.field(mntr, "zk_connection_request_count\t").orElseThrow());
	}

}
