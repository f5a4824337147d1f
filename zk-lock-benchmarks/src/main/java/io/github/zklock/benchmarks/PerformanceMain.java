package io.github.zklock.benchmarks;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import io.github.zklock.benchmarks.jvm.JvmBenchmarks;
import io.github.zklock.benchmarks.jvm.JvmFigure;
import io.github.zklock.benchmarks.report.Machine;
import io.github.zklock.benchmarks.report.Page;
import io.github.zklock.benchmarks.run.Expedition;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Plan;

/**
 * Measures, prints the tables and writes the page.
 */
@Command(name = "-Dperformance.args=", sortOptions = false, usageHelpAutoWidth = true,
		description = "Measures the locks beside others, prints the tables and writes performance.md.")
public final class PerformanceMain implements Callable<Integer> {

	/**
	 * How long it waits until the build before it is not in the load average any more.
	 */
	private static final Duration CALM = Duration.ofMinutes(3);

	private static final String COMMAND = "./mvnw -Pperformance -pl zk-lock-benchmarks -am process-classes";

	@Mixin
	private final Arguments arguments = new Arguments();

	@Spec
	private @Nullable CommandSpec spec;

	private PerformanceMain() {
	}

	/**
	 * Measures.
	 * @param args see {@link Arguments}
	 */
	public static void main(String[] args) {
		System.exit(commandLine().execute(args));
	}

	static CommandLine commandLine() {
		return new CommandLine(new PerformanceMain());
	}

	@Override
	public Integer call() {
		CommandLine line = Objects.requireNonNull(this.spec).commandLine();
		Plan plan = this.arguments.plan();
		Page page = new Page(plan, Machine.look(plan.work(), this.arguments.quick() ? Duration.ZERO : CALM),
				command(line.getParseResult().originalArgs()));
		Measurements measurements = new Expedition(plan, System.err::println).measure();
		List<JvmFigure> figures = this.arguments.jmh() ? JvmBenchmarks.run(this.arguments.quick(), plan.work())
				: List.of();
		String text = page.text(measurements, figures);
		PrintWriter out = line.getOut();
		out.println(text);
		out.flush();
		page.save(text, measurements, this.arguments.into());
		return CommandLine.ExitCode.OK;
	}

	// Without the directories, which are the build's or nobody's business
	private static String command(List<String> args) {
		StringBuilder own = new StringBuilder();
		for (int i = 0; i < args.size(); i++) {
			if (List.of("-into", "-work", "-recordings").contains(args.get(i))) {
				i++;
			}
			else {
				own.append(own.isEmpty() ? "" : " ").append(args.get(i));
			}
		}
		return own.isEmpty() ? COMMAND : COMMAND + " -Dperformance.args=\"" + own + "\"";
	}

}
