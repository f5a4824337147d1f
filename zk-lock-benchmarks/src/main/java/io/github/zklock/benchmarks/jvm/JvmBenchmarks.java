package io.github.zklock.benchmarks.jvm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks of what stays in one JVM.
 */
public final class JvmBenchmarks {

	private JvmBenchmarks() {
	}

	/**
	 * Runs all of them.
	 * @param quick whether for a moment only
	 * @param work where the servers' data goes
	 * @return what came out
	 */
	public static List<JvmFigure> run(boolean quick, Path work) {
		return quick ? run(".*", 1, 1, 200, work) : run(".*", 2, 5, 1000, work);
	}

	static List<JvmFigure> run(String name, int forks, int iterations, int millis, Path work) {
		OptionsBuilder options = new OptionsBuilder();
		options.include("^io\\.github\\.zklock\\..*\\." + name + "Benchmark\\..*")
			.forks(forks)
			.warmupIterations(iterations)
			.measurementIterations(iterations)
			.warmupTime(TimeValue.milliseconds(millis))
			.measurementTime(TimeValue.milliseconds(millis))
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT)
			.jvmArgsAppend("-XX:+UseSerialGC", "-Dperformance.work=" + work.toAbsolutePath());
		try {
			return figures(new Runner(options.build()).run());
		}
		catch (RunnerException ex) {
			throw new IllegalStateException("The benchmarks failed", ex);
		}
	}

	private static List<JvmFigure> figures(Collection<RunResult> results) {
		List<JvmFigure> figures = new ArrayList<>();
		for (RunResult result : results) {
			Result<?> primary = result.getPrimaryResult();
			String[] names = result.getParams().getBenchmark().split("\\.", -1);
			StringBuilder name = new StringBuilder(names[names.length - 2].replace("Benchmark", ""));
			name.append('.').append(names[names.length - 1]);
			result.getParams()
				.getParamsKeys()
				.forEach((key) -> name.append(", ").append(result.getParams().getParam(key)));
			figures.add(new JvmFigure(name.toString(), primary.getScore(), primary.getScoreError(),
					primary.getScoreUnit()));
		}
		return figures;
	}

}
