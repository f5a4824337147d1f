package io.github.zklock.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 5: servers fail and come back while 50 lock clients, in five processes, contend
 * for three keys in all modes with both strategies.
 */
class OutageIT {

	private static final Duration SESSION = Duration.ofSeconds(5);

	private static EnsembleProcesses servers;

	private Arena arena;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(3);
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@BeforeEach
	void contend() {
		servers.mend();
		this.arena = new Arena(servers);
		Plan plan = Plan.of("sequential", LockMode.EXCLUSIVE, LockMode.READ, LockMode.WRITE)
			.strategies("sequential", "naive")
			.keys("a", "b", "c")
			.timeout(Duration.ofSeconds(10))
			.hold(Duration.ofMillis(5));
		for (int i = 0; i < 5; i++) {
			this.arena.process("clients" + i, servers.connectString(), SESSION, 10, plan, i);
		}
		this.arena.await("all contend", (history) -> history.notes("READY").size() == 5);
		awaitProgress();
	}

	@AfterEach
	void close() {
		this.arena.close();
	}

	// Everybody is served again: the three keys change hands many times more.
	private void awaitProgress() {
		long entered = this.arena.history().entered("");
		this.arena.await("progress", (history) -> history.entered("") >= entered + 150);
	}

	private void judge(String what) {
		servers.mend();
		awaitProgress();
		this.arena.stop();
		HistoryChecker checker = this.arena.judge(what);
		assertThat(checker.violations()).isEmpty();
		assertThat(this.arena.leftovers(Duration.ofSeconds(20))).isEmpty();
		assertThat(this.arena.history().notes("END")).hasSize(5);
	}

	@Test
	void nothingIsGrantedTwiceWhenTheLeaderIsKilled() {
		ServerProcess leader = servers.leader();
		leader.kill();
		await().atMost(Duration.ofSeconds(30)).until(() -> servers.leader() != leader);
		awaitProgress();
		judge("leader killed");
	}

	@Test
	void nothingIsGrantedTwiceWhenAFollowerIsKilledOrTheLeaderIsFrozen() {
		servers.followers().get(0).kill();
		awaitProgress();
		servers.mend();
		ServerProcess leader = servers.leader();
		leader.freeze();
		await().atMost(Duration.ofSeconds(30)).until(() -> servers.leader() != leader);
		awaitProgress();
		leader.thaw();
		judge("follower killed, leader frozen");
	}

	@Test
	void nothingIsGrantedTwiceWhenTheQuorumIsLostAndComesBack() {
		List<ServerProcess> followers = servers.followers();
		followers.forEach(ServerProcess::kill);
		await("the quorum is lost").atMost(Duration.ofSeconds(30))
			.until(() -> servers.servers().stream().allMatch((server) -> server.role().isEmpty()));
		judge("quorum lost");
	}

	@Test
	void nothingIsGrantedTwiceWhenServersRestartOneByOne() {
		Random random = new Random(7);
		for (int i = 0; i < 3; i++) {
			servers.servers().get((i + random.nextInt(3)) % 3).kill();
			servers.mend();
			awaitProgress();
		}
		judge("restarted one by one");
	}

}
