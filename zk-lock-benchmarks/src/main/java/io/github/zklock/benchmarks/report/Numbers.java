package io.github.zklock.benchmarks.report;

import java.util.Locale;

/**
 * Writes numbers as people read them: three digits that mean something.
 */
final class Numbers {

	private Numbers() {
	}

	static String of(double value) {
		if (Double.isNaN(value)) {
			return "";
		}
		double size = Math.abs(value);
		if (size >= 100) {
			return String.format(Locale.ROOT, "%,.0f", value);
		}
		if (size >= 10) {
			return String.format(Locale.ROOT, "%.1f", value);
		}
		return String.format(Locale.ROOT, (size >= 1 || size == 0) ? "%.2f" : "%.3f", value);
	}

	static String millis(long nanos) {
		return of(nanos / 1e6);
	}

	static String count(double value) {
		return String.format(Locale.ROOT, (value == Math.rint(value)) ? "%,.0f" : "%,.2f", value);
	}

}
