package io.github.zklock.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The sample in a JVM of its own, on a port that the system chose.
 */
final class Instance implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Started SampleApplication");

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private final Process process;

	private final Path log;

	private Instance(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	static Instance start(Path log, String... arguments) throws IOException {
		return start(log, List.of("-cp", System.getProperty("java.class.path"), SampleApplication.class.getName()),
				arguments);
	}

	static Instance startAheadOfTime(Path jar, Path log, String... arguments) throws IOException {
		return start(log, List.of("-Dspring.aot.enabled=true", "-jar", jar.toString()), arguments);
	}

	private static Instance start(Path log, List<String> application, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
						"-XX:TieredStopAtLevel=1"));
		command.addAll(application);
		command.addAll(List.of("--server.port=0", "--logging.level.root=INFO"));
		command.addAll(List.of(arguments));
		File output = log.toFile();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
		return new Instance(process, log);
	}

	Instance awaitStarted() {
		await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
			assertThat(this.process.isAlive()).as(output()).isTrue();
			assertThat(output()).containsPattern(STARTED);
		});
		return this;
	}

	RestClient client() {
		Matcher port = PORT.matcher(output());
		assertThat(port.find()).isTrue();
		return RestClient.create("http://localhost:" + port.group(1));
	}

	void signal(String name) throws IOException, InterruptedException {
		// The shell's own kill: not every machine has the program
		assertThat(new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, this.process.pid())).start().waitFor())
			.isZero();
	}

	String output() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
			this.process.destroyForcibly().waitFor();
		}
	}

}
