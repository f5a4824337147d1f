package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A wall clock that processes can be started with and that jumps while they run; their
 * monotonic clock and their waits go on as ever. Needs the library of {@code faketime}.
 */
public final class WallClock {

	private static final String LIBRARY = "faketime/libfaketimeMT.so.1";

	private static final List<Path> FOLDERS = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"),
			Path.of("/usr/local/lib"));

	private final Path offset;

	/**
	 * Creates a clock that is right.
	 * @param file where processes look what time it is
	 */
	public WallClock(Path file) {
		this.offset = file;
		jump(Duration.ZERO);
	}

	/**
	 * Returns whether this can work here.
	 * @return whether there is the library
	 */
	public static boolean isAvailable() {
		return library().isPresent();
	}

	/**
	 * Lets it jump.
	 * @param difference how much later it is than it should be; negative for earlier
	 */
	public void jump(Duration difference) {
		try {
			Path next = Files.writeString(Path.of(this.offset + ".next"), "%+d\n".formatted(difference.toSeconds()));
			Files.move(next, this.offset, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns what comes before the command of a process that shall have this clock.
	 * @return the words
	 * @throws IllegalStateException if there is no library
	 */
	public List<String> launcher() {
		Path library = library()
			.orElseThrow(() -> new IllegalStateException("There is no %s below %s".formatted(LIBRARY, FOLDERS)));
		// The library translates waits for a clock that it does not change, unless it is
		// asked not to
		return List.of("env", "LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + this.offset, "FAKETIME_NO_CACHE=1",
				"FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0");
	}

	// The command faketime would say where it is. But it fails whenever a killed process
	// that had its
	// own process id has left a semaphore behind.
	private static Optional<Path> library() {
		return FOLDERS.stream()
			.filter(Files::isDirectory)
			.flatMap((folder) -> Stream.concat(Stream.of(folder), within(folder).stream()))
			.map((folder) -> folder.resolve(LIBRARY))
			.filter(Files::exists)
			.findFirst();
	}

	private static List<Path> within(Path folder) {
		try (Stream<Path> found = Files.list(folder)) {
			return found.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
