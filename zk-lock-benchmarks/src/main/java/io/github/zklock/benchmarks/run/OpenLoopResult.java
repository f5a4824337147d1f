package io.github.zklock.benchmarks.run;

/**
 * How long callers waited that came whether or not earlier ones were served.
 *
 * @param percent how many of a hundred locks came that the contestant is able to grant
 * @param arrivals how many callers came in a second, on average
 * @param served what became of them; their waits are counted from when they came
 */
public record OpenLoopResult(int percent, double arrivals, Result served) {

}
