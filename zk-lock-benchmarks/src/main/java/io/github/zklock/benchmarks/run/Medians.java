package io.github.zklock.benchmarks.run;

import java.util.Arrays;

/**
 * Finds what lies in the middle.
 */
public final class Medians {

	private Medians() {
	}

	/**
	 * Finds the median.
	 * @param values at least one value
	 * @return the middle one, or the mean of the two in the middle
	 */
	public static double of(double... values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		int half = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
	}

}
