package io.github.zklock.faults;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import static org.awaitility.Awaitility.await;

/**
 * A JVM of its own on the test class path, which can be frozen, thawed and killed. It
 * ends when its standard input ends, so that it never outlives the tests.
 */
final class JavaProcess implements AutoCloseable {

	private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
	}

	private final Process process;

	private JavaProcess(Process process) {
		this.process = process;
		RUNNING.add(process);
	}

	/**
	 * Starts a JVM.
	 * @param launcher what stands before {@code java}; may be empty
	 * @param options options of the JVM
	 * @param main what it runs
	 * @param arguments the arguments of the main method
	 * @param output where its output goes, appended
	 * @return the process
	 */
	static JavaProcess start(List<String> launcher, List<String> options, Class<?> main, List<String> arguments,
			Path output) {
		List<String> command = new ArrayList<>(launcher);
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
				"-Dlogback.configurationFile=io/github/zklock/faults/logback-process.xml"));
		command.addAll(options);
		command.addAll(List.of("-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), main.getName()));
		command.addAll(arguments);
		File log = output.toFile();
		try {
			return new JavaProcess(new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log))
				.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** Stops all its threads (SIGSTOP); returns when they stand. */
	void freeze() {
		signal("-STOP");
		await("the process stands").atMost(Duration.ofSeconds(10))
			.pollInterval(Duration.ofMillis(1))
			.until(() -> state() == 'T');
	}

	/** Lets its threads go on (SIGCONT). */
	void thaw() {
		signal("-CONT");
	}

	/** Lets it write the stacks of its threads to its output (SIGQUIT). */
	void writeStacks() {
		signal("-QUIT");
	}

	/** Ends it without a chance to say good-bye (SIGKILL); returns when it is gone. */
	void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/**
	 * Says a line to its standard input.
	 * @param line the line
	 */
	void tell(String line) {
		try {
			OutputStream input = this.process.getOutputStream();
			input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until it has ended. */
	void awaitEnd() {
		try {
			if (!this.process.waitFor(60, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Process " + this.process.pid() + " does not end");
			}
			RUNNING.remove(this.process);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private char state() throws IOException {
		String stat = Files.readString(Path.of("/proc", Long.toString(this.process.pid()), "stat"));
		return stat.charAt(stat.lastIndexOf(')') + 2);
	}

	private void signal(String signal) {
		run(List.of("kill", signal, Long.toString(this.process.pid())));
	}

	/**
	 * Runs a command of the system.
	 * @param command the command
	 */
	static void run(List<String> command) {
		if (!succeeds(command)) {
			throw new IllegalStateException("The command failed: " + command);
		}
	}

	/**
	 * Runs a command of the system.
	 * @param command the command
	 * @return whether it ended well
	 */
	static boolean succeeds(List<String> command) {
		try {
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		if (this.process.isAlive()) {
			kill();
		}
		RUNNING.remove(this.process);
	}

}
