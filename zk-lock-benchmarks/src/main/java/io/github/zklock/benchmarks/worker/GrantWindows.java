package io.github.zklock.benchmarks.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How many locks each thread was granted in each of the windows into which the measured
 * time is divided. What remains after the last whole window is left out.
 *
 * @param ofThreads for each thread its count in each window
 */
public record GrantWindows(List<List<Integer>> ofThreads) {

	/** How long a window is. */
	public static final Duration LENGTH = Duration.ofMillis(100);

	private static final String BETWEEN_THREADS = ";";

	private static final String BETWEEN_WINDOWS = ",";

	/** The windows of no threads. */
	static GrantWindows none() {
		return new GrantWindows(List.of());
	}

	GrantWindows plus(GrantWindows other) {
		List<List<Integer>> all = new ArrayList<>(this.ofThreads);
		all.addAll(other.ofThreads);
		return new GrantWindows(List.copyOf(all));
	}

	String text() {
		return this.ofThreads.stream()
			.map((windows) -> windows.stream().map(String::valueOf).collect(Collectors.joining(BETWEEN_WINDOWS)))
			.collect(Collectors.joining(BETWEEN_THREADS));
	}

	static GrantWindows parse(String text) {
		return new GrantWindows(Arrays.stream(text.split(BETWEEN_THREADS, -1)).map(GrantWindows::windows).toList());
	}

	private static List<Integer> windows(String text) {
		return text.isEmpty() ? List.of()
				: Arrays.stream(text.split(BETWEEN_WINDOWS, -1)).map(Integer::valueOf).toList();
	}

	/**
	 * Counts what one thread is granted.
	 */
	static final class Counting {

		private final long start;

		private final int[] windows;

		Counting(long start, long stop) {
			this.start = start;
			this.windows = new int[(int) Math.max(0, (stop - start) / LENGTH.toNanos())];
		}

		/**
		 * Counts a grant, if it was in a window.
		 * @param granted when it was
		 */
		void add(long granted) {
			long since = granted - this.start;
			if (since >= 0 && since / LENGTH.toNanos() < this.windows.length) {
				this.windows[(int) (since / LENGTH.toNanos())]++;
			}
		}

		GrantWindows windows() {
			return new GrantWindows(List.of(IntStream.of(this.windows).boxed().toList()));
		}

	}

}
