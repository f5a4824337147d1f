package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Keeps other servers out of a data directory, which ZooKeeper itself does not do: two of
 * them would give away the same locks, with the same fencing tokens. It is a lock of the
 * operating system's on a file, which ends with the process however that ends. The file
 * stays: if it were deleted, two processes could lock one file each.
 */
final class DirectoryLock implements AutoCloseable {

	private static final String FILE = "zk-lock.lock";

	// Closing a second channel of a file may release what the first one has locked
	private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

	private final Path directory;

	private final FileChannel channel;

	private DirectoryLock(Path directory, FileChannel channel) {
		this.directory = directory;
		this.channel = channel;
	}

	/**
	 * Locks a directory.
	 * @param directory the directory, which exists
	 * @return the lock, or null if this or another process has locked it
	 * @throws IOException if the file cannot be written or locked
	 */
	static @Nullable DirectoryLock tryLock(Path directory) throws IOException {
		Path real = directory.toRealPath();
		if (!LOCKED.add(real)) {
			return null;
		}
		FileChannel channel = null;
		boolean locked = false;
		try {
			channel = FileChannel.open(real.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
			locked = channel.tryLock() != null;
			return locked ? new DirectoryLock(real, channel) : null;
		}
		catch (OverlappingFileLockException ex) {
			// By this class of another class loader, whose LOCKED is not ours
			return null;
		}
		finally {
			if (!locked) {
				close(channel, real);
			}
		}
	}

	private static void close(@Nullable FileChannel channel, Path directory) throws IOException {
		try {
			if (channel != null) {
				channel.close();
			}
		}
		finally {
			LOCKED.remove(directory);
		}
	}

	@Override
	public void close() throws IOException {
		close(this.channel, this.directory);
	}

}
