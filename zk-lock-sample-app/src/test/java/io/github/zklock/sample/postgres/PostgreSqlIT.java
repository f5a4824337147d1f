package io.github.zklock.sample.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Tag("slow")
class PostgreSqlIT {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@Test
	void startThatIsInterruptedLeavesNothing() throws Exception {
		Assumptions.assumeTrue(PostgreSql.isInstalled() || "true".equals(System.getenv("CI")),
				"There is no PostgreSQL here; Debian's package postgresql has it");
		boolean interrupted = false;
		for (int attempt = 0; !interrupted && attempt < 10; attempt++) {
			interrupted = isInterruptedInTime();
		}
		assertThat(interrupted).isTrue();
	}

	private static boolean isInterruptedInTime() throws Exception {
		CompletableFuture<PostgreSql> started = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				started.complete(PostgreSql.start());
			}
			catch (IOException | InterruptedException ex) {
				started.completeExceptionally(ex);
			}
		});
		thread.start();
		Optional<Path> seen = await().atMost(PATIENCE)
			.pollInSameThread()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> started.isDone() ? Optional.<Path>empty() : startedCluster(),
					(found) -> found.isPresent() || started.isDone());
		if (seen.isEmpty()) {
			started.join().close();
			return false;
		}
		Path cluster = seen.get();
		long server = Long.parseLong(Files.readAllLines(cluster.resolve("postmaster.pid")).get(0));
		thread.interrupt();
		thread.join(PATIENCE.toMillis());
		assertThat(started).isDone();
		if (!started.isCompletedExceptionally()) {
			started.join().close();
			return false;
		}
		assertThat(started).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(InterruptedException.class);
		// It removes its file before it ends; one that is left alone misses its directory
		// after a minute
		await().atMost(Duration.ofSeconds(10)).until(() -> ProcessHandle.of(server).isEmpty());
		assertThat(cluster.getParent()).doesNotExist();
		return true;
	}

	private static Optional<Path> startedCluster() {
		return ProcessHandle.current()
			.descendants()
			.map((process) -> List.of(process.info().arguments().orElse(new String[0])))
			.filter((arguments) -> arguments.contains("start"))
			.flatMap(List::stream)
			.filter((argument) -> argument.startsWith("--pgdata="))
			.map((argument) -> Path.of(argument.substring("--pgdata=".length())))
			.filter((cluster) -> isWritten(cluster.resolve("postmaster.pid")))
			.findAny();
	}

	private static boolean isWritten(Path file) {
		try {
			return Files.readString(file).lines().count() > 1;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
