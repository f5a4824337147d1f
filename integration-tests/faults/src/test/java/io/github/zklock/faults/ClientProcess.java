package io.github.zklock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.zklock.harness.ChildProcess;
import io.github.zklock.harness.Launch;
import io.github.zklock.harness.ServerSettings;

/**
 * Lock clients that contend in a JVM of their own.
 */
final class ClientProcess implements AutoCloseable {

	private final ChildProcess process;

	private final Path log;

	private final List<String> clients;

	private boolean killed;

	private ClientProcess(ChildProcess process, Path log, List<String> clients) {
		this.process = process;
		this.log = log;
		this.clients = clients;
	}

	/**
	 * Starts to contend.
	 * @param arena where
	 * @param name a name for the log
	 * @param connectString where the servers are
	 * @param session the session time-out
	 * @param clients how many lock clients, each with a session of its own
	 * @param plan what they do
	 * @param seed for what is random
	 * @param launcher what comes before its command; may be empty
	 * @return the process; it may not have begun yet
	 */
	static ClientProcess start(Arena arena, String name, String connectString, Duration session, int clients,
			RoundPlan plan, long seed, List<String> launcher) {
		Path log = arena.newLog(name);
		ChildProcess process = Launch.java(ClientMain.class)
			.readingInput()
			.through(launcher)
			.options(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", ServerSettings.LOGGING))
			.arguments(List.of(connectString, arena.root(), session.toString(), Integer.toString(clients),
					plan.format(), log.toString(), arena.directory().toString(), name, Long.toString(seed)))
			.start(Path.of(log + ".out"));
		return new ClientProcess(process, log,
				IntStream.range(0, clients).mapToObj((number) -> name + "." + number).toList());
	}

	/**
	 * Returns the names of its lock clients.
	 * @return the beginnings of the names of their workers; empty if it does not run
	 */
	List<String> clients() {
		return this.process.isAlive() ? this.clients : List.of();
	}

	/**
	 * Waits until its log has a line that begins with a word.
	 * @param word the word
	 * @return this process
	 */
	ClientProcess await(String word) {
		org.awaitility.Awaitility.await(word + " in " + this.log)
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> count(word) > 0);
		return this;
	}

	/**
	 * Counts lines of its log.
	 * @param word what they begin with
	 * @return how many there are
	 */
	long count(String word) {
		try {
			return Files.exists(this.log)
					? Files.readAllLines(this.log).stream().filter((line) -> line.startsWith(word + "\t")).count() : 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void freeze() {
		this.process.freeze();
	}

	void thaw() {
		this.process.thaw();
	}

	void writeStacks() {
		if (this.process.isAlive()) {
			this.process.writeStacks();
		}
	}

	void kill() {
		this.killed = true;
		this.process.kill();
	}

	/** Lets it end its rounds and close its clients. */
	void stop() {
		if (this.process.isAlive()) {
			this.process.send("stop");
		}
	}

	/**
	 * Waits until it has ended, which it must do by itself unless it was killed.
	 * @throws IllegalStateException if it has ended otherwise, such as where a worker
	 * hangs or an error ended the JVM
	 */
	void awaitEnd() {
		this.process.awaitEnd();
		if (!this.killed && this.process.exitStatus() != 0) {
			throw new IllegalStateException("%s ended with %d; its output is%n%s".formatted(this.log.getFileName(),
					this.process.exitStatus(), this.process.log()));
		}
	}

	@Override
	public void close() {
		this.process.kill();
	}

}
