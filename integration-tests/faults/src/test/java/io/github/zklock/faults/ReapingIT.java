package io.github.zklock.faults;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;
import io.github.zklock.harness.EnsembleProcesses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 8: the server removes empty places every 20 ms while contenders arrive.
 */
@Tag("slow")
class ReapingIT {

	private static EnsembleProcesses servers;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(1, "-Dznode.container.checkIntervalMs=20",
				"-Dznode.container.maxPerMinute=1000000");
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, 64, 0", "naive, 64, 0", "'sequential,naive', 64, 0", "sequential, 0, 0",
			"'sequential,naive', 0, 0", "sequential, 2, 5" })
	void contendersWhoseKeyNodeIsReapedMakeItAgain(String strategies, int handoffs, int retainMillis) throws Exception {
		Handoff handoff = new Handoff(handoffs, Duration.ofMillis(100), Duration.ofMillis(retainMillis));
		try (Arena arena = new Arena(servers)) {
			RoundPlan plan = RoundPlan.of("sequential", LockMode.values())
				.strategies(strategies.split(",", -1))
				.keys("a", "b", "c", "d", "e", "f", "g", "h")
				.hold(Duration.ofMillis(1));
			for (int i = 0; i < 4; i++) {
				CuratorFramework curator = arena.curator(servers.connectString(), Duration.ofSeconds(10));
				arena.contend(arena.client(curator, handoff), "c" + i, plan, i);
			}
			arena.await("many acquisitions", (history) -> history.entered("") > 2_000);
			arena.stop();
			HistoryChecker checker = arena
				.judge("reaping, %s, %d handoffs, retain %d ms".formatted(strategies, handoffs, retainMillis));
			assertThat(checker.violations()).isEmpty();
			assertThat(checker.joined()).as("readers beside a WRITE that was downgraded").isPositive();
			assertThat(arena.history().failures()).isEmpty();
			assertThat(arena.residue(Duration.ofSeconds(10))).isEmpty();
			try (ZooKeeper zooKeeper = EnsembleProcesses.connect(servers.connectString())) {
				await("the places are reaped").until(() -> zooKeeper.getChildren(arena.root(), false).isEmpty());
			}
		}
	}

}
