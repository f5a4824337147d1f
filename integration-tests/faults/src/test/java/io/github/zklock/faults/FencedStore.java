package io.github.zklock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A store that several processes share and that refuses a write whose token is smaller
 * than the largest that it has seen for the key. Keeps a journal of what it did.
 */
final class FencedStore {

	private final Path directory;

	FencedStore(Path directory) {
		this.directory = directory;
	}

	Path journal() {
		return this.directory.resolve("store.journal");
	}

	/**
	 * Writes, if the token is not too small.
	 * @param who writes
	 * @param key what
	 * @param token the writer's fencing token
	 * @return whether the write was accepted
	 */
	boolean write(String who, String key, long token) {
		synchronized (FencedStore.class) {
			try (FileChannel largest = open(this.directory.resolve("store-" + Integer.toHexString(key.hashCode())));
					FileLock lock = largest.lock();
					FileChannel journal = FileChannel.open(journal(), StandardOpenOption.CREATE,
							StandardOpenOption.APPEND)) {
				ByteBuffer known = ByteBuffer.allocate(Long.BYTES);
				boolean accepted = largest.read(known, 0) < Long.BYTES || token >= known.getLong(0);
				if (accepted) {
					largest.write(ByteBuffer.allocate(Long.BYTES).putLong(0, token), 0);
				}
				String line = "%s\t%s\t%s\t%d%n".formatted(accepted ? "ACCEPTED" : "REFUSED", who, key, token);
				journal.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
				return accepted && lock.isValid();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	private static FileChannel open(Path file) throws IOException {
		return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
	}

}
