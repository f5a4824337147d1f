package io.github.zklock.sample.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Tag("slow")
class PostgreSqlIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Starts the server, says where it is, and returns when it is let go. */
	private static final String SLOW_START = """
			#!/bin/sh
			%1$s/pg_ctl "$@" || exit
			case "$*" in *start)
				for argument; do
					case "$argument" in --pgdata=*) echo "${argument#--pgdata=}" >%2$s/new && mv %2$s/new %2$s/started ;; esac
				done
				while [ ! -e %2$s/go ]; do sleep 0.1; done
			esac
			""";

	@Test
	void startThatIsInterruptedLeavesNothing(@TempDir Path directory) throws Exception {
		Assumptions.assumeTrue(PostgreSql.isInstalled() || "true".equals(System.getenv("CI")),
				"There is no PostgreSQL here; Debian's package postgresql has it");
		Path slow = slowPrograms(directory);
		CompletableFuture<PostgreSql> started = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				started.complete(PostgreSql.start(slow));
			}
			catch (IOException | InterruptedException ex) {
				started.completeExceptionally(ex);
			}
		});
		thread.start();
		await().atMost(PATIENCE).until(() -> Files.exists(directory.resolve("started")));
		Path cluster = Path.of(Files.readString(directory.resolve("started")).strip());
		ProcessHandle server = ProcessHandle
			.of(Long.parseLong(Files.readAllLines(cluster.resolve("postmaster.pid")).get(0)))
			.orElseThrow();
		try {
			thread.interrupt();
			Files.createFile(directory.resolve("go"));
			assertThat(started).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(InterruptedException.class);
			// At once: one that is left alone ends by itself, some time after its
			// directory is gone
			await().atMost(Duration.ofSeconds(5)).until(() -> !server.isAlive());
			assertThat(cluster.getParent()).doesNotExist();
		}
		finally {
			server.destroyForcibly();
		}
	}

	private static Path slowPrograms(Path directory) throws IOException {
		Path installed = PostgreSql.programs().orElseThrow();
		Path slow = Files.createDirectory(directory.resolve("bin"));
		Files.createSymbolicLink(slow.resolve("initdb"), installed.resolve("initdb"));
		Path script = Files.writeString(slow.resolve("pg_ctl"), SLOW_START.formatted(installed, directory));
		// Root has them run by another user
		for (Path file : new Path[] { directory, slow, script }) {
			Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
		}
		return slow;
	}

}
