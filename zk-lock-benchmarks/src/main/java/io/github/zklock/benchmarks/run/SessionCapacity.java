package io.github.zklock.benchmarks.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many sessions this machine has threads for.
 */
final class SessionCapacity {

	// ZooKeeper's two, Curator's, ours, and the one that locks
	private static final int OF_SESSION = 8;

	private static final Path MOST = Path.of("/proc/sys/kernel/pid_max");

	private SessionCapacity() {
	}

	/**
	 * Finds out how many sessions can be open at once.
	 * @return as many as take three quarters of the threads; without a bound if none is
	 * known
	 */
	static int bearable() {
		if (!Files.isReadable(MOST)) {
			return Integer.MAX_VALUE;
		}
		// It is all in the first piece that is read, so that must be large
		try (BufferedReader reader = Files.newBufferedReader(MOST)) {
			return bearable(Long.parseLong(reader.readLine()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static int bearable(long threads) {
		return (int) Math.min(Integer.MAX_VALUE, threads * 3 / 4 / OF_SESSION);
	}

}
