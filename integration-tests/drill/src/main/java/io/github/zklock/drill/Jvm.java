package io.github.zklock.drill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM of its own that runs a class of this application, and writes its log to a file.
 */
final class Jvm implements AutoCloseable {

	private final Process process;

	private final Path log;

	private Jvm(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	static Jvm start(Class<?> main, Path log, List<String> options, List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		command.add("-Djava.io.tmpdir=" + log.getParent());
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
		command.addAll(arguments);
		return new Jvm(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(), log);
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	String log() throws IOException {
		return Files.readString(this.log);
	}

	/**
	 * Ends it as a machine ends that loses its power.
	 * @throws InterruptedException if interrupted
	 */
	void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	@Override
	public void close() throws InterruptedException {
		kill();
	}

}
