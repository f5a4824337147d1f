package io.github.zklock.benchmarks;

import java.io.PrintStream;
import java.util.List;

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
public final class PerformanceMain {

	private static final String COMMAND = "./mvnw -Pperformance -pl zk-lock-benchmarks -am process-classes";

	private PerformanceMain() {
	}

	/**
	 * Measures.
	 * @param args see {@link Arguments#USAGE}
	 */
	public static void main(String[] args) {
		try {
			if (List.of(args).contains("-help")) {
				System.out.println(Arguments.USAGE);
			}
			else {
				measure(System.out, args);
			}
			System.exit(0);
		}
		catch (Exception ex) {
			ex.printStackTrace();
			System.exit(1);
		}
	}

	/**
	 * Measures.
	 * @param out where the tables are printed
	 * @param args see {@link Arguments#USAGE}
	 */
	static void measure(PrintStream out, String... args) {
		Arguments arguments = Arguments.parse(args);
		Plan plan = arguments.plan();
		Page page = new Page(plan, Machine.look(plan.work()), command(args));
		Measurements measurements = new Expedition(plan, System.err::println).measure();
		List<JvmFigure> figures = arguments.jmh() ? JvmBenchmarks.run(arguments.quick(), plan.work()) : List.of();
		String text = page.text(measurements, figures);
		out.println(text);
		page.save(text, measurements, arguments.into());
	}

	// Without the directories, which are the build's or nobody's business
	private static String command(String... args) {
		StringBuilder own = new StringBuilder();
		for (int i = 0; i < args.length; i++) {
			if (List.of("-into", "-work", "-recordings").contains(args[i])) {
				i++;
			}
			else {
				own.append(own.isEmpty() ? "" : " ").append(args[i]);
			}
		}
		return own.isEmpty() ? COMMAND : COMMAND + " -Dperformance.args=\"" + own + "\"";
	}

}
