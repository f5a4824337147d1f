package io.github.zklock.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.DoubleSupplier;

import io.github.zklock.benchmarks.run.Medians;
import io.github.zklock.harness.Waiting;

/**
 * On what it was measured.
 *
 * @param cores how many cores there are
 * @param system the operating system and the architecture
 * @param java the Java runtime
 * @param forceMicros how long it takes to force half a kilobyte to the disk, median
 * @param load how many threads were ready to run in the minute before, on average;
 * negative if not known
 */
public record Machine(int cores, String system, String java, double forceMicros, double load) {

	private static final int WRITES = 300;

	private static final Duration PAUSE = Duration.ofSeconds(1);

	/**
	 * Looks at this machine, when the build that came before is not in the load any more.
	 * @param work where the servers' data will go
	 * @param patience for how long it is waited at most until nobody uses the machine
	 * @return the machine
	 */
	public static Machine look(Path work, Duration patience) {
		int cores = Runtime.getRuntime().availableProcessors();
		double load = whenCalm(ManagementFactory.getOperatingSystemMXBean()::getSystemLoadAverage, cores,
				patience.dividedBy(PAUSE), () -> Waiting.pause(PAUSE));
		return new Machine(cores, System.getProperty("os.name") + " " + System.getProperty("os.arch"),
				System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
				force(work) / 1e3, load);
	}

	/**
	 * Waits until nobody uses the machine.
	 * @param load asks for the load
	 * @param cores how many cores there are
	 * @param pauses how often it pauses at most
	 * @param pause pauses
	 * @return the load then, or the last one
	 */
	static double whenCalm(DoubleSupplier load, int cores, long pauses, Runnable pause) {
		double now = load.getAsDouble();
		for (long i = 0; i < pauses && isLoaded(now, cores); i++) {
			pause.run();
			now = load.getAsDouble();
		}
		return now;
	}

	private static boolean isLoaded(double load, int cores) {
		return load > cores * 0.25;
	}

	private static double force(Path work) {
		double[] nanos = new double[WRITES];
		try {
			Path file = Files.createTempFile(Files.createDirectories(work), "force", null);
			try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
				for (int i = 0; i < WRITES; i++) {
					long start = System.nanoTime();
					channel.write(ByteBuffer.allocate(512));
					channel.force(false);
					nanos[i] = System.nanoTime() - start;
				}
			}
			Files.delete(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return Medians.of(nanos);
	}

	/**
	 * Returns whether others used it before, so that figures may be off.
	 * @return whether they did
	 */
	boolean isLoaded() {
		return isLoaded(this.load, this.cores);
	}

	@Override
	public String toString() {
		return "%d cores, %s, %s; %s µs to force 512 bytes to the disk (median)".formatted(this.cores, this.system,
				this.java, Numbers.of(this.forceMicros));
	}

}
