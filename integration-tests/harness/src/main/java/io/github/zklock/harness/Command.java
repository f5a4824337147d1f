package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs commands of the system that end soon.
 */
public final class Command {

	private Command() {
	}

	/**
	 * Runs a command.
	 * @param command the command and its arguments
	 * @return what it printed
	 * @throws IllegalStateException if it could not be started or failed, with what it
	 * printed
	 */
	public static String run(List<String> command) {
		// A file, because a pipe would stay open as long as a server that the command has
		// started
		Path output = createOutput();
		try {
			int status = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start()
				.waitFor();
			String printed = Files.readString(output, StandardCharsets.UTF_8);
			if (status != 0) {
				throw new IllegalStateException("%s failed: %s".formatted(command, printed.trim()));
			}
			return printed;
		}
		catch (IOException ex) {
			throw new IllegalStateException("%s could not be run".formatted(command), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted during %s".formatted(command), ex);
		}
		finally {
			delete(output);
		}
	}

	/**
	 * Runs a command that may fail.
	 * @param command the command and its arguments
	 * @return whether it could be started and did not fail
	 */
	public static boolean succeeds(List<String> command) {
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
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted during %s".formatted(command), ex);
		}
	}

	private static Path createOutput() {
		try {
			return Files.createTempFile("command", ".out");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void delete(Path output) {
		try {
			Files.delete(output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
