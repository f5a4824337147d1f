package io.github.zklock.faults;

import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockMode;
import io.github.zklock.harness.FaultProxy.Direction;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Case 4: the holder's packets vanish, both ways or one way. It must count itself lost
 * before the servers grant the lock to the one behind it.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class PartitionIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,TO_SERVER TO_CLIENT", "naive,WRITE,TO_SERVER TO_CLIENT",
			"naive,READ,TO_SERVER TO_CLIENT", "sequential,EXCLUSIVE,TO_SERVER TO_CLIENT",
			"sequential,WRITE,TO_SERVER TO_CLIENT", "sequential,READ,TO_SERVER TO_CLIENT", "naive,EXCLUSIVE,TO_SERVER",
			"naive,WRITE,TO_SERVER", "sequential,EXCLUSIVE,TO_SERVER", "sequential,READ,TO_SERVER",
			"naive,EXCLUSIVE,TO_CLIENT", "naive,READ,TO_CLIENT", "sequential,EXCLUSIVE,TO_CLIENT",
			"sequential,WRITE,TO_CLIENT" })
	void aPartitionedHolderKnowsThatItIsLostBeforeTheNextIsGranted(String strategy, LockMode mode, String directions) {
		LockClient cutOff = this.faults.clientBehindProxy();
		this.faults.arena().contend(cutOff, "cut-off", RoundPlan.of(strategy, mode).hold(RoundPlan.UNTIL_LOST), 1);
		this.faults.arena().await("the holder holds", (history) -> history.entered("cut-off") == 1);
		LockClient next = this.faults.client();
		this.faults.arena().contend(next, "next", RoundPlan.of(strategy, LockMode.WRITE).hold(RoundPlan.UNTIL_LOST), 2);
		this.faults.proxy()
			.hold(Arrays.stream(directions.split(" ", -1)).map(Direction::valueOf).toArray(Direction[]::new));
		this.faults.arena().await("the next one holds", (history) -> history.entered("next") == 1);
		this.faults.proxy().heal();
		this.faults.arena().stop();
		HistoryChecker checker = this.faults.arena().judge("partition %s, %s %s".formatted(directions, strategy, mode));
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.smallestMargin().orElseThrow()).isPositive();
	}

}
