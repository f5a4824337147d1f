package io.github.zklock.benchmarks.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads how much time of the processors this JVM's compiler has used. Linux says it for
 * each thread. Elsewhere it is the time that passed while something was compiled, which
 * is more on a machine that has other things to do.
 */
final class CompilerClock {

	private static final String TIMES = "schedstat";

	// A name of a thread has 15 characters there
	private static final Pattern COMPILER = Pattern.compile("C[12] CompilerThre.*");

	private final Path process;

	CompilerClock() {
		this(Path.of("/proc/self"));
	}

	CompilerClock(Path process) {
		this.process = process;
	}

	/**
	 * Returns the time so far.
	 * @return nanoseconds
	 */
	long nanos() {
		if (!Files.isReadable(this.process.resolve(TIMES))) {
			CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
			// An interpreter has no compiler
			return (compilation != null) ? TimeUnit.MILLISECONDS.toNanos(compilation.getTotalCompilationTime()) : 0;
		}
		try (Stream<Path> threads = Files.list(this.process.resolve("task"))) {
			return threads.mapToLong(CompilerClock::nanos).sum();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// The first number is the time on a processor
	private static long nanos(Path thread) {
		try {
			return COMPILER.matcher(Files.readString(thread.resolve("comm")).strip()).matches()
					? Long.parseLong(Files.readString(thread.resolve(TIMES)).split(" ", -1)[0]) : 0;
		}
		catch (IOException ex) {
			if (Files.exists(thread)) {
				throw new UncheckedIOException(ex);
			}
			// It has ended since the threads were listed, and so was none of the
			// compiler's
			return 0;
		}
	}

}
