package io.github.zklock.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of its own on this class path. It is told lines and answers in lines; it ends
 * when its standard input ends, so that it never outlives whoever started it.
 */
public final class JavaProcess implements AutoCloseable {

	/** An answer that begins so tells of a failure. */
	public static final String FAILED = "failed ";

	private static final String END = "\0";

	private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
	}

	private final Process process;

	private final Path log;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private JavaProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
		RUNNING.add(process);
		Thread listener = new Thread(this::listen, "answers-" + process.pid());
		listener.setDaemon(true);
		listener.start();
	}

	/**
	 * Starts a JVM.
	 * @param main what it runs
	 * @param options options of the JVM
	 * @param arguments the arguments of the main method
	 * @param log where its error output goes, appended
	 * @return the process
	 */
	public static JavaProcess start(Class<?> main, List<String> options, List<String> arguments, Path log) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:+UseSerialGC", "-Xshare:auto", "-Xss512k"));
		command.addAll(options);
		command.addAll(List.of("-cp", classPath(), main.getName()));
		command.addAll(arguments);
		return new JavaProcess(start(command, log), log);
	}

	/**
	 * Starts a command whose output goes to a log.
	 * @param command the command
	 * @param log where its error output goes, appended
	 * @return the process, which is killed when this JVM ends
	 */
	static Process start(List<String> command, Path log) {
		try {
			Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
			RUNNING.add(process);
			return process;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	private void listen() {
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				this.answers.add(line);
			}
		}
		catch (IOException ex) {
			this.answers.add(FAILED + ex);
		}
		this.answers.add(END);
	}

	/**
	 * Says a line to it.
	 * @param line the line
	 */
	public void tell(String line) {
		try {
			OutputStream input = this.process.getOutputStream();
			input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Process %d does not listen; see %s".formatted(this.process.pid(), this.log),
					ex);
		}
	}

	/**
	 * Waits for its next line.
	 * @param patience how long at most
	 * @return the line
	 * @throws IllegalStateException if it says nothing for so long, has ended, or tells
	 * of a failure
	 */
	public String hear(Duration patience) {
		return poll(patience).orElseThrow(() -> new IllegalStateException(
				"Process %d said nothing for %s; see %s".formatted(this.process.pid(), patience, this.log)));
	}

	/**
	 * Looks whether it has said something.
	 * @param patience how long to wait for it
	 * @return its next line, or empty if there is none
	 * @throws IllegalStateException if it has ended or tells of a failure
	 */
	public Optional<String> poll(Duration patience) {
		try {
			String answer = this.answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
			if (answer == null) {
				return Optional.empty();
			}
			if (answer.equals(END)) {
				throw new IllegalStateException("Process %d has ended; see %s".formatted(this.process.pid(), this.log));
			}
			if (answer.startsWith(FAILED)) {
				throw new IllegalStateException(
						"Process %d %s; see %s".formatted(this.process.pid(), answer, this.log));
			}
			return Optional.of(answer);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while waiting for process " + this.process.pid(), ex);
		}
	}

	/**
	 * Waits for its next line, which must be a certain one.
	 * @param expected the line
	 * @param patience how long at most
	 */
	public void hear(String expected, Duration patience) {
		String answer = hear(patience);
		if (!answer.equals(expected)) {
			throw new IllegalStateException(
					"Process %d should have said '%s', but said '%s'".formatted(this.process.pid(), expected, answer));
		}
	}

	/**
	 * Tells how much time of the processors it has used so far.
	 * @return the time of all its threads; zero where the system does not tell
	 */
	public Duration cpu() {
		return cpu(this.process);
	}

	static Duration cpu(Process process) {
		return process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	/**
	 * Lets it end by itself, and kills it if it does not.
	 */
	@Override
	public void close() {
		try {
			this.process.getOutputStream().close();
		}
		catch (IOException ex) {
			this.answers.add(FAILED + ex);
		}
		end(this.process);
	}

	/**
	 * Waits a little for the end of a process, then kills it.
	 * @param process the process
	 */
	static void end(Process process) {
		try {
			if (!process.waitFor(5, TimeUnit.SECONDS)) {
				process.destroyForcibly().waitFor();
			}
			RUNNING.remove(process);
		}
		catch (InterruptedException ex) {
			process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
