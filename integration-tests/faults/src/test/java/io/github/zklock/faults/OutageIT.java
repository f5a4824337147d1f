package io.github.zklock.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.github.zklock.LockMode;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.ServerProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 5: servers fail and come back while 50 lock clients, in five processes, contend
 * for three keys in all modes with both strategies, from the first test to the last.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutageIT {

	private static final Duration SESSION = Duration.ofSeconds(5);

	private static final int PROCESSES = 5;

	private EnsembleProcesses servers;

	private Arena arena;

	@BeforeAll
	void contend() {
		this.servers = FaultFixture.threeServers();
		this.arena = new Arena(this.servers);
		RoundPlan plan = RoundPlan.of("sequential", LockMode.EXCLUSIVE, LockMode.READ, LockMode.WRITE)
			.strategies("sequential", "naive")
			.keys("a", "b", "c", "2-permits")
			.timeout(Duration.ofSeconds(10))
			.hold(Duration.ofMillis(5));
		for (int i = 0; i < PROCESSES; i++) {
			this.arena.process("clients" + i, this.servers.connectString(), SESSION, 10, plan, i);
		}
		this.arena.await("all contend", (history) -> history.notes("READY").size() == PROCESSES);
		awaitProgress();
	}

	@AfterAll
	void close() {
		try (Arena closing = this.arena) {
			closing.stop();
			HistoryChecker checker = closing.judge("outages");
			assertThat(checker.violations()).isEmpty();
			assertThat(Duration.ofNanos(checker.latestNanos())).isLessThan(HistoryChecker.LATE);
			assertThat(closing.residue(Duration.ofSeconds(20))).isEmpty();
			assertThat(closing.history().notes("END")).hasSize(PROCESSES);
		}
	}

	// Each lock client is served again; the second round begins after this did.
	private void awaitProgress() {
		this.arena.awaitProgress(2);
	}

	// Of all that happened so far.
	private void judge(String what) {
		this.servers.mend();
		awaitProgress();
		assertThat(this.arena.judge(what).violations()).isEmpty();
	}

	@Test
	void nothingIsGrantedTwiceWhenTheLeaderIsKilled() {
		ServerProcess leader = this.servers.leader();
		leader.kill();
		await().atMost(Duration.ofSeconds(30)).until(() -> this.servers.leader() != leader);
		awaitProgress();
		judge("leader killed");
	}

	@Test
	void nothingIsGrantedTwiceWhenAFollowerIsKilledOrTheLeaderIsFrozen() {
		this.servers.followers().get(0).kill();
		awaitProgress();
		this.servers.mend();
		ServerProcess leader = this.servers.leader();
		leader.freeze();
		await().atMost(Duration.ofSeconds(30)).until(() -> this.servers.leader() != leader);
		awaitProgress();
		leader.thaw();
		judge("follower killed, leader frozen");
	}

	@Test
	void nothingIsGrantedTwiceWhenTheQuorumIsLostAndComesBack() {
		List<ServerProcess> followers = this.servers.followers();
		followers.forEach(ServerProcess::kill);
		await("the quorum is lost").atMost(Duration.ofSeconds(30))
			.until(() -> this.servers.servers().stream().allMatch((server) -> server.role().isEmpty()));
		judge("quorum lost");
	}

	@Test
	void nothingIsGrantedTwiceWhenServersRestartOneByOne() {
		Random random = new Random(7);
		for (int i = 0; i < 3; i++) {
			this.servers.servers().get((i + random.nextInt(3)) % 3).kill();
			this.servers.mend();
			awaitProgress();
		}
		judge("restarted one by one");
	}

}
