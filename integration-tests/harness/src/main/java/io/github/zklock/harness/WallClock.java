package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * A wall clock that processes can be started with and that jumps while they run; their
 * monotonic clock and their waits go on as ever. Needs the command {@code faketime}.
 */
public final class WallClock {

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
	 * @return whether there is the command
	 */
	public static boolean isAvailable() {
		return Command.succeeds(List.of("faketime", "-m", "-f", "+0", "true"));
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
	 */
	public List<String> launcher() {
		// The library translates waits for a clock that it does not change, unless it is
		// asked not to
		return List.of("env", "LD_PRELOAD=" + library(), "FAKETIME_TIMESTAMP_FILE=" + this.offset,
				"FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0");
	}

	private static String library() {
		String printed = Command.run(List.of("faketime", "-m", "-f", "+0", "printenv", "LD_PRELOAD")).trim();
		if (printed.isEmpty()) {
			throw new IllegalStateException("faketime does not say where its library is");
		}
		return printed;
	}

}
