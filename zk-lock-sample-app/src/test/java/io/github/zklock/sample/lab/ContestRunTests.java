package io.github.zklock.sample.lab;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.memory.MemoryLockClient;
import io.github.zklock.sample.contest.ContestMode;
import io.github.zklock.sample.contest.ContestSpec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The end of a contest, however it comes.
 */
class ContestRunTests {

	private static final ContestSpec SPEC = new ContestSpec("sequential", ContestMode.EXCLUSIVE, 2, Duration.ZERO,
			Duration.ofSeconds(1));

	@Test
	void anErrorEndsItAndLetsTheNextOneBegin() throws Exception {
		Notes notes = new Notes();
		try (LockClient client = MemoryLockClient.builder().root("/" + getClass().getName()).build()) {
			LockHandle guard = client.acquire(LockRequest.exclusive("contest").owner(new Object()));
			ContestRun run = new ContestRun("1", SPEC, guard, (id, spec, progress) -> {
				throw new OutOfMemoryError("planted");
			}, notes);
			run.start();
			run.awaitEnd(20);
			assertThat(run.isOver()).isTrue();
			assertThat(run.view(0).stage()).isEqualTo(ContestRun.Stage.FAILED);
			assertThat(client.tryAcquire(LockRequest.exclusive("contest").timeout(Duration.ZERO))).isPresent();
		}
		assertThat(notes.latest()).anyMatch((note) -> note.text().contains("planted"));
	}

}
