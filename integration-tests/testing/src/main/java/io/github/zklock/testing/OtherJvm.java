package io.github.zklock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM with the class path of this one. They exchange lines of text over its
 * standard input and output; what it writes to standard error appears in this one's.
 */
public final class OtherJvm implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	private final Writer input;

	private OtherJvm(Process process) {
		this.process = process;
		this.output = process.inputReader();
		this.input = process.outputWriter();
	}

	/**
	 * Starts a JVM.
	 * @param main the class whose main method it runs
	 * @param arguments what the method is given
	 * @return the JVM, to be closed
	 */
	public static OtherJvm start(Class<?> main, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
				main.getName()));
		command.addAll(List.of(arguments));
		try {
			return new OtherJvm(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Waits for the next line that it writes.
	 * @return the line, or null if it ended
	 */
	public String read() {
		try {
			return this.output.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Gives it a line to read.
	 * @param line the line
	 */
	public void write(String line) {
		try {
			this.input.write(line + "\n");
			this.input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the process, to be stopped, continued or killed by its id.
	 * @return the process
	 */
	public Process process() {
		return this.process;
	}

	/**
	 * Waits for its end.
	 * @return its exit code
	 */
	public int awaitExit() {
		return awaitExit(Actor.PATIENCE);
	}

	/**
	 * Waits for its end, when it still has much to do.
	 * @param patience for how long
	 * @return its exit code
	 */
	public int awaitExit(Duration patience) {
		try {
			if (!this.process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
				throw new AssertionError("Process " + this.process.pid() + " did not end");
			}
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
