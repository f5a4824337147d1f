package io.github.zklock.benchmarks.jvm;

/**
 * What one benchmark showed.
 *
 * @param name what was measured
 * @param score the mean
 * @param error half of its 99.9 % confidence interval; not a number if it was measured
 * only once
 * @param unit the unit of both
 */
public record JvmFigure(String name, double score, double error, String unit) {

}
