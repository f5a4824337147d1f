package io.github.zklock.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * What threads have counted.
 *
 * @param counted how many locks each thread was granted while it counted
 * @param total how many locks all were granted in all
 * @param writes how often they entered a key as writers
 * @param waits how long each of the counted locks was waited for, in nanoseconds
 * @param writerWaits how long those of them were waited for that were to write, in
 * nanoseconds; none if nobody reads
 * @param cycles how long it took each thread from one of them to its next
 * @param longest the longest wait, in nanoseconds: of the counted locks, and of those
 * that were still waited for when the counting ended, up to that moment
 * @param windows when the locks were granted
 * @param compilerNanos how much time of the processors their JVMs' compilers used
 * meanwhile
 * @param allocatedBytes how much their JVMs' threads allocated meanwhile
 */
public record Tally(List<Long> counted, long total, long writes, Histogram waits, Histogram writerWaits,
		Histogram cycles, long longest, GrantWindows windows, long compilerNanos, long allocatedBytes) {

	/** What nobody has counted. */
	public static Tally none() {
		return new Tally(List.of(), 0, 0, new Histogram(3), new Histogram(3), new Histogram(3), 0, GrantWindows.none(),
				0, 0);
	}

	/**
	 * Adds what others have counted.
	 * @param other what they counted
	 * @return the sum
	 */
	public Tally plus(Tally other) {
		List<Long> all = new ArrayList<>(this.counted);
		all.addAll(other.counted);
		return new Tally(List.copyOf(all), this.total + other.total, this.writes + other.writes,
				sum(this.waits, other.waits), sum(this.writerWaits, other.writerWaits), sum(this.cycles, other.cycles),
				Math.max(this.longest, other.longest), this.windows.plus(other.windows),
				this.compilerNanos + other.compilerNanos, this.allocatedBytes + other.allocatedBytes);
	}

	Tally costing(long compiled, long allocated) {
		return new Tally(this.counted, this.total, this.writes, this.waits, this.writerWaits, this.cycles, this.longest,
				this.windows, compiled, allocated);
	}

	private static Histogram sum(Histogram one, Histogram other) {
		Histogram both = one.copy();
		both.add(other);
		return both;
	}

	String text() {
		return "%s %d %d %s %s %s %d %s %d %d".formatted(
				this.counted.stream().map(String::valueOf).collect(Collectors.joining(",")), this.total, this.writes,
				text(this.waits), text(this.writerWaits), text(this.cycles), this.longest, this.windows.text(),
				this.compilerNanos, this.allocatedBytes);
	}

	private static String text(Histogram histogram) {
		ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
		int length = histogram.encodeIntoCompressedByteBuffer(buffer);
		return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
	}

	/**
	 * Reads what a worker process said.
	 * @param text what it said
	 * @return what its threads counted
	 */
	public static Tally parse(String text) {
		String[] parts = text.split(" ", -1);
		return new Tally(Arrays.stream(parts[0].split(",", -1)).map(Long::valueOf).toList(), Long.parseLong(parts[1]),
				Long.parseLong(parts[2]), histogram(parts[3]), histogram(parts[4]), histogram(parts[5]),
				Long.parseLong(parts[6]), GrantWindows.parse(parts[7]), Long.parseLong(parts[8]),
				Long.parseLong(parts[9]));
	}

	private static Histogram histogram(String text) {
		try {
			return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException("Not a histogram: " + text, ex);
		}
	}

}
