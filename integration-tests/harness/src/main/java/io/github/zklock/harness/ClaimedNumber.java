package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * A number that nobody else on this machine has, in another JVM or in this one, as long
 * as its file is locked: at most until the JVM ends.
 *
 * @param number the number
 * @param lock its file
 */
record ClaimedNumber(int number, FileChannel lock) implements AutoCloseable {

	/**
	 * Claims the first number that is free.
	 * @param purpose what it is for: how the names of the files begin
	 * @param most the largest number; the smallest is 1
	 * @return the number
	 */
	static ClaimedNumber of(String purpose, int most) {
		for (int number = 1; number <= most; number++) {
			FileChannel lock = lock(purpose, number);
			if (lock != null) {
				return new ClaimedNumber(number, lock);
			}
		}
		throw new IllegalStateException("All %d numbers of %s are in use".formatted(most, purpose));
	}

	private static @Nullable FileChannel lock(String purpose, int number) {
		Path file = Path.of(System.getProperty("java.io.tmpdir"), purpose + number + ".lock");
		try {
			FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
			if (isLocked(channel)) {
				return channel;
			}
			channel.close();
			return null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isLocked(FileChannel channel) throws IOException {
		try {
			return channel.tryLock() != null;
		}
		catch (OverlappingFileLockException ex) {
			// By another one in this JVM
			return false;
		}
	}

	@Override
	public void close() {
		try {
			this.lock.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
