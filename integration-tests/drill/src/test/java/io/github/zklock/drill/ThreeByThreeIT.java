package io.github.zklock.drill;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The script, run as users run it.
 */
@Tag("slow")
class ThreeByThreeIT {

	private static final Duration LIMIT = Duration.ofMinutes(5);

	@TempDir
	private Path directory;

	private Process script;

	@AfterEach
	void end() throws Exception {
		this.script.destroyForcibly().waitFor();
		await("what it started has ended").atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(started()).isEmpty());
	}

	@Test
	void nothingIsSoldTwiceWhenTheLeaderDies() throws Exception {
		run("--kill-leader", "--tickets", "150");
		assertThat(this.script.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(output()).containsPattern("Server \\d, the leader, was killed after \\d+ sales")
			.containsPattern("Server \\d leads now")
			.containsPattern("sold twice +0 +of 150 tickets in the database")
			.containsPattern("leaders +[1-9]\\d* +one after the other; 0 times two at once")
			.contains("Every ticket was sold, and none twice")
			.containsPattern(
					"[1-9]\\d* reports, [1-5] at a time at most, with 5 permits for all three; \\d+ refused\\R")
			.containsPattern("ran [1-9]\\d* times in \\d+\\.\\d s\\R");
		assertThat(this.script.exitValue()).isZero();
		assertThat(started()).isEmpty();
		assertThat(residue()).isEmpty();
	}

	@Test
	void aScriptThatIsStoppedStopsWhatItStarted() throws Exception {
		run();
		await().atMost(LIMIT).untilAsserted(() -> assertThat(output()).contains("Three servers at"));
		assertThat(started()).isNotEmpty();
		this.script.destroy();
		assertThat(this.script.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(started()).isEmpty();
		assertThat(residue()).isEmpty();
	}

	private void run(String... options) throws IOException {
		List<String> command = new ArrayList<>(
				List.of("bash", Path.of("../../zk-lock-sample-app/three-by-three").toAbsolutePath().toString()));
		command.addAll(List.of(options));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(log().toFile())
			.redirectInput(new File("/dev/null"));
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment()
			.put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + Files.createDirectory(this.directory.resolve("tmp")));
		this.script = builder.start();
	}

	private Path log() {
		return this.directory.resolve("log");
	}

	private String output() throws IOException {
		return Files.readString(log());
	}

	/** Servers and instances have paths below the directory in their command lines. */
	private List<String> started() {
		return ProcessHandle.allProcesses()
			.map((process) -> process.info().commandLine().orElse(""))
			.filter((commandLine) -> commandLine.contains(this.directory.toString()))
			.toList();
	}

	private List<Path> residue() throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("tmp"))) {
			return files.filter((file) -> !file.getFileName().toString().startsWith("hsperfdata")).toList();
		}
	}

}
