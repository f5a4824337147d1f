package io.github.zklock.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process that was started by {@link Launch}. It can be frozen, thawed and killed, and
 * be sent lines, which it may answer in lines. It never outlives the process that started
 * it.
 */
public final class ChildProcess implements AutoCloseable {

	/** An answer that begins so reports a failure. */
	public static final String FAILED = "failed ";

	private static final String END = "\0";

	private static final Duration ENDING = Duration.ofSeconds(5);

	private static final Duration DYING = Duration.ofSeconds(60);

	private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
	}

	private final Process process;

	private final Path log;

	private final boolean readsInput;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private ChildProcess(ProcessBuilder builder, Path log, boolean readsInput) {
		try {
			this.process = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.log = log;
		this.readsInput = readsInput;
		RUNNING.add(this.process);
	}

	static ChildProcess start(List<String> command, Path log, boolean readsInput) {
		return new ChildProcess(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(appendTo(log)),
				log, readsInput);
	}

	static ChildProcess startAnswering(List<String> command, Path log, boolean readsInput) {
		ChildProcess child = new ChildProcess(new ProcessBuilder(command).redirectError(appendTo(log)), log,
				readsInput);
		Thread reader = new Thread(child::readAnswers, "answers-" + child.process.pid());
		reader.setDaemon(true);
		reader.start();
		return child;
	}

	private static ProcessBuilder.Redirect appendTo(Path log) {
		return ProcessBuilder.Redirect.appendTo(log.toFile());
	}

	private void readAnswers() {
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

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Returns its number.
	 * @return the system's number
	 */
	public long pid() {
		return this.process.pid();
	}

	/**
	 * Returns how much time of the processors it has used so far.
	 * @return the time of all its threads; zero where the system does not say
	 */
	public Duration cpu() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	/**
	 * Reads its log.
	 * @return what it has written so far
	 */
	public String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Stops all its threads (SIGSTOP); returns when they are up. */
	public void freeze() {
		signal("-STOP");
		Waiting.until(this + " stands", Duration.ofSeconds(10), () -> state() == 'T');
	}

	/** Lets its threads go on (SIGCONT). */
	public void thaw() {
		signal("-CONT");
	}

	/** Lets a JVM write the stacks of its threads to its output (SIGQUIT). */
	public void writeStacks() {
		signal("-QUIT");
	}

	private void signal(String signal) {
		// The shell's own kill: not every machine has the program
		Command.run(List.of("sh", "-c", "kill %s %d".formatted(signal, this.process.pid())));
	}

	private char state() {
		try {
			String stat = Files.readString(Path.of("/proc", Long.toString(this.process.pid()), "stat"));
			return stat.charAt(stat.lastIndexOf(')') + 2);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Writes a line to its standard input.
	 * @param line the line
	 */
	public void send(String line) {
		try {
			OutputStream input = this.process.getOutputStream();
			input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("%s does not listen; see %s".formatted(this, this.log), ex);
		}
	}

	/**
	 * Waits for its next line.
	 * @param patience how long at most
	 * @return the line
	 * @throws IllegalStateException if it prints nothing for so long, has ended, or
	 * reports a failure
	 */
	public String receive(Duration patience) {
		return poll(patience).orElseThrow(() -> new IllegalStateException(
				"%s printed nothing for %s; see %s".formatted(this, patience, this.log)));
	}

	/**
	 * Waits for its next line, which must be a certain one.
	 * @param expected the line
	 * @param patience how long at most
	 * @throws IllegalStateException if it prints something else or nothing for so long,
	 * has ended, or reports a failure
	 */
	public void receive(String expected, Duration patience) {
		String answer = receive(patience);
		if (!answer.equals(expected)) {
			throw new IllegalStateException("%s printed '%s' instead of '%s'".formatted(this, answer, expected));
		}
	}

	/**
	 * Waits for its next line, which need not come.
	 * @param patience how long at most
	 * @return its next line, or empty if there is none
	 * @throws IllegalStateException if it has ended or reports a failure, or if
	 * interrupted; the thread is interrupted again then
	 */
	public Optional<String> poll(Duration patience) {
		try {
			Optional<String> answer = Optional
				.ofNullable(this.answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS));
			answer.ifPresent(this::check);
			return answer;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for " + this, ex);
		}
	}

	private void check(String answer) {
		if (answer.equals(END)) {
			throw new IllegalStateException("%s has ended; see %s".formatted(this, this.log));
		}
		if (answer.startsWith(FAILED)) {
			throw new IllegalStateException("%s %s; see %s".formatted(this, answer, this.log));
		}
	}

	/**
	 * Ends it as a machine ends that loses its power (SIGKILL); returns when it is gone.
	 */
	public void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/**
	 * Waits until it has ended, also if interrupted, because what started it must not go
	 * before it.
	 */
	public void awaitEnd() {
		if (!endsWithin(DYING)) {
			throw new IllegalStateException(this + " does not end");
		}
		RUNNING.remove(this.process);
	}

	/**
	 * Returns with which status it has ended.
	 * @return the status; zero if all went well
	 * @throws IllegalThreadStateException if it has not ended yet
	 */
	public int exitStatus() {
		return this.process.exitValue();
	}

	private boolean endsWithin(Duration time) {
		boolean interrupted = false;
		long begun = System.nanoTime();
		try {
			while (true) {
				try {
					return this.process.waitFor(time.toNanos() - (System.nanoTime() - begun), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Asks it to end (SIGTERM), and kills it if it does not. */
	public void terminate() {
		this.process.destroy();
		if (!endsWithin(ENDING)) {
			this.process.destroyForcibly();
		}
		awaitEnd();
	}

	/**
	 * Ends it: lets it end by itself if it reads its input, and kills it otherwise, or if
	 * it does not end.
	 */
	@Override
	public void close() {
		if (this.readsInput) {
			try {
				this.process.getOutputStream().close();
			}
			catch (IOException ex) {
				this.answers.add(FAILED + ex);
			}
			endsWithin(ENDING);
		}
		kill();
	}

	@Override
	public String toString() {
		return "process " + this.process.pid();
	}

}
