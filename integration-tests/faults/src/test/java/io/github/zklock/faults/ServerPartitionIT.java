package io.github.zklock.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockMode;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.NetworkHosts;
import io.github.zklock.harness.ServerProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 4, between the servers: the server that the holder talks to is parted from the
 * others and goes on answering for a while. Needs network namespaces.
 */
@Tag("slow")
class ServerPartitionIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	/** A leader without followers leads on for half a minute. */
	private static final int SYNC_LIMIT = 120;

	private static NetworkHosts network;

	private static EnsembleProcesses servers;

	@BeforeAll
	static void start() {
		FaultFixture.assumeNetworkHosts();
		network = new NetworkHosts(3);
		servers = EnsembleProcesses.start(network.hosts(), SYNC_LIMIT);
	}

	@AfterAll
	static void stop() {
		if (servers != null) {
			servers.close();
		}
		if (network != null) {
			network.close();
		}
	}

	@BeforeEach
	void mend() {
		servers.mend();
	}

	private static int indexOf(ServerProcess server) {
		return servers.servers().indexOf(server);
	}

	@ParameterizedTest
	@CsvSource({ "sequential,EXCLUSIVE", "naive,EXCLUSIVE", "sequential,READ" })
	void aHolderBehindAFollowerThatIsCutOffKnowsThatItIsLostInTime(String strategy, LockMode mode) {
		ServerProcess leader = servers.leader();
		ServerProcess cutOff = servers.followers().get(0);
		try (Arena arena = new Arena(servers)) {
			LockClient holder = arena.client(cutOff.connectString(), SESSION);
			arena.contend(holder, "cut-off", RoundPlan.of(strategy, mode).hold(RoundPlan.UNTIL_LOST), 1);
			arena.await("the holder holds", (history) -> history.entered("cut-off") == 1);
			LockClient next = arena.client(leader.connectString(), SESSION);
			arena.contend(next, "next", RoundPlan.of(strategy, LockMode.WRITE).hold(RoundPlan.UNTIL_LOST), 2);
			network.part(indexOf(leader), indexOf(cutOff));
			try {
				arena.await("the next one holds", (history) -> history.entered("next") == 1);
				assertThat(cutOff.role()).as("the follower still serves").isEqualTo("follower");
			}
			finally {
				network.join(indexOf(leader), indexOf(cutOff));
			}
			judge(arena, "follower cut off, %s %s".formatted(strategy, mode));
		}
	}

	@ParameterizedTest
	@CsvSource({ "sequential,EXCLUSIVE", "naive,EXCLUSIVE" })
	void aHolderBehindALeaderThatWasReplacedKnowsThatItIsLostInTime(String strategy, LockMode mode) {
		ServerProcess deposed = servers.leader();
		List<ServerProcess> others = servers.followers();
		try (Arena arena = new Arena(servers)) {
			LockClient holder = arena.client(deposed.connectString(), SESSION);
			arena.contend(holder, "deposed", RoundPlan.of(strategy, mode).hold(RoundPlan.UNTIL_LOST), 1);
			arena.await("the holder holds", (history) -> history.entered("deposed") == 1);
			LockClient next = arena.client(others.get(0).connectString() + "," + others.get(1).connectString(),
					SESSION);
			arena.contend(next, "next", RoundPlan.of(strategy, LockMode.WRITE).hold(RoundPlan.UNTIL_LOST), 2);
			IntStream.of(0, 1).forEach((i) -> network.part(indexOf(deposed), indexOf(others.get(i))));
			try {
				// The others leave it at once, because they restart; it does not hear of
				// it
				others.forEach(ServerProcess::kill);
				others.forEach(ServerProcess::start);
				arena.await("the next one holds", (history) -> history.entered("next") == 1);
				assertThat(deposed.role()).as("it does not know it").isEqualTo("leader");
			}
			finally {
				IntStream.of(0, 1).forEach((i) -> network.join(indexOf(deposed), indexOf(others.get(i))));
			}
			judge(arena, "leader replaced, %s %s".formatted(strategy, mode));
		}
	}

	private static void judge(Arena arena, String what) {
		servers.awaitServing();
		await("the others follow one leader").atMost(Duration.ofMinutes(1))
			.until(() -> servers.followers().size() == 2);
		arena.stop();
		HistoryChecker checker = arena.judge(what);
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.smallestMargin().orElseThrow()).isPositive();
		await().atMost(Duration.ofSeconds(20)).until(() -> arena.residue(Duration.ofSeconds(1)).isEmpty());
	}

}
