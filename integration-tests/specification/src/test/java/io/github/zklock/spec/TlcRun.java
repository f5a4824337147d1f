package io.github.zklock.spec;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tlc2.TLC;

/**
 * What TLC said about one configuration. It runs in a process of its own, because it
 * keeps its state in static fields and ends the JVM.
 *
 * @param exitCode zero if nothing was found
 * @param output all that it wrote
 */
record TlcRun(int exitCode, String output) {

	/** Where the specification is, seen from a module. */
	static final Path SPECIFICATION = Path.of("..", "..", "docs", "spec").toAbsolutePath().normalize();

	private static final Pattern VIOLATION = Pattern.compile("Error: Invariant (\\w+) is violated");

	private static final Pattern OTHER_ERROR = Pattern.compile("Error: (.+)");

	private static final Pattern STATES = Pattern.compile("([0-9,]+) distinct states found, 0 states left on queue");

	/**
	 * Runs TLC on a configuration.
	 * @param configuration its path below {@link #SPECIFICATION}
	 * @param workers how many threads
	 * @param scratch an empty folder for its files
	 * @param options of the JVM, besides those that suit the number of threads
	 * @return what it said
	 */
	static TlcRun of(String configuration, int workers, Path scratch, String... options)
			throws IOException, InterruptedException, URISyntaxException {
		Path file = SPECIFICATION.resolve(configuration);
		String module = moduleOf(Files.readString(file));
		Path output = scratch.resolve("output.txt");
		Path jar = Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		Path java = Path.of(System.getProperty("java.home"), "bin", "java");
		// The short runs spare the second compiler and the parallel collector
		List<String> tuning = (workers == 1) ? List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m")
				: List.of("-XX:+UseParallelGC", "-Xmx2g");
		ProcessBuilder builder = new ProcessBuilder(java.toString(), "-Djava.io.tmpdir=" + scratch);
		builder.command().addAll(tuning);
		builder.command().addAll(List.of(options));
		builder.command()
			.addAll(List.of("-cp", jar.toString(), TLC.class.getName(), "-workers", Integer.toString(workers),
					"-metadir", scratch.resolve("states").toString(), "-config", file.toString(),
					SPECIFICATION.resolve(module).toString()));
		Process process = builder.directory(scratch.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			// Beside other tests they are the last to get a processor
			if (!process.waitFor((workers == 1) ? 20 : 120, TimeUnit.MINUTES)) {
				throw new AssertionError(configuration + " is not checked yet: " + Files.readString(output));
			}
		}
		finally {
			process.destroyForcibly();
		}
		return new TlcRun(process.exitValue(), Files.readString(output));
	}

	private static String moduleOf(String configuration) {
		if (configuration.contains("Rule =")) {
			return "ZkLease.tla";
		}
		if (configuration.contains("Calls =")) {
			return "ZkJob.tla";
		}
		if (configuration.contains("Allows <-")) {
			return "ZkPermitsModels.tla";
		}
		if (configuration.contains("Opens =")) {
			return "ZkSlot.tla";
		}
		return configuration.contains("Callers =") ? "ZkCohortModels.tla" : "ZkLockModels.tla";
	}

	/**
	 * Returns what was violated.
	 * @return the invariant's name, or else the first line of the error; empty if there
	 * was none
	 */
	Optional<String> violation() {
		return first(VIOLATION).or(() -> first(OTHER_ERROR));
	}

	/**
	 * Returns whether all states were visited and nothing was found.
	 * @return true if TLC says so in every way that it has
	 */
	boolean isComplete() {
		return this.exitCode == 0 && this.output.contains("Model checking completed. No error has been found.");
	}

	/**
	 * Returns how many distinct states there are.
	 * @return their number, or zero if not all were visited
	 */
	int distinctStates() {
		return first(STATES).map((number) -> Integer.parseInt(number.replace(",", ""))).orElse(0);
	}

	private Optional<String> first(Pattern pattern) {
		Matcher matcher = pattern.matcher(this.output);
		return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
	}

}
