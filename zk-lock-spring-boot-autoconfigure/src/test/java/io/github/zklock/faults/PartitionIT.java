package io.github.zklock.faults;

import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockMode;
import io.github.zklock.faults.FaultProxy.Direction;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Case 4: the holder's packets vanish, both ways or one way. It must count itself lost
 * before the servers grant the lock to the one behind it.
 */
class PartitionIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	private static EnsembleProcesses servers;

	private Arena arena;

	private FaultProxy proxy;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(3);
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@BeforeEach
	void open() {
		this.arena = new Arena(servers);
		this.proxy = new FaultProxy(servers.followers().get(0).clientAddress());
	}

	@AfterEach
	void close() {
		try (FaultProxy closingLast = this.proxy; Arena closing = this.arena) {
			closingLast.heal();
			assertThat(closing.leftovers(Duration.ofSeconds(10))).isEmpty();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,TO_SERVER TO_CLIENT", "naive,WRITE,TO_SERVER TO_CLIENT",
			"naive,READ,TO_SERVER TO_CLIENT", "sequential,EXCLUSIVE,TO_SERVER TO_CLIENT",
			"sequential,WRITE,TO_SERVER TO_CLIENT", "sequential,READ,TO_SERVER TO_CLIENT", "naive,EXCLUSIVE,TO_SERVER",
			"naive,WRITE,TO_SERVER", "sequential,EXCLUSIVE,TO_SERVER", "sequential,READ,TO_SERVER",
			"naive,EXCLUSIVE,TO_CLIENT", "naive,READ,TO_CLIENT", "sequential,EXCLUSIVE,TO_CLIENT",
			"sequential,WRITE,TO_CLIENT" })
	void aPartitionedHolderCountsItselfLostBeforeTheNextIsGranted(String strategy, LockMode mode, String directions) {
		LockClient cutOff = this.arena.client(this.proxy.connectString(), SESSION);
		this.arena.contend(cutOff, "cut-off", Plan.of(strategy, mode).hold(Plan.UNTIL_LOST), 1);
		this.arena.await("the holder holds", (history) -> history.entered("cut-off") == 1);
		LockClient next = this.arena.client(servers.connectString(), SESSION);
		this.arena.contend(next, "next", Plan.of(strategy, LockMode.WRITE).hold(Plan.UNTIL_LOST), 2);
		this.proxy.hold(Arrays.stream(directions.split(" ", -1)).map(Direction::valueOf).toArray(Direction[]::new));
		this.arena.await("the next one holds", (history) -> history.entered("next") == 1);
		this.proxy.heal();
		this.arena.stop();
		HistoryChecker checker = this.arena.judge("partition %s, %s %s".formatted(directions, strategy, mode));
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.smallestMargin().orElseThrow()).isPositive();
	}

}
