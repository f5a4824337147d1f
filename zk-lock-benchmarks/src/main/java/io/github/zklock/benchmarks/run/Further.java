package io.github.zklock.benchmarks.run;

import java.util.List;

/**
 * What is measured besides workloads and herds.
 *
 * @param queues how many sessions queue for one key that is drained then
 * @param kills how often a holder and a leader are killed
 */
public record Further(List<Integer> queues, int kills) {

	/** Nothing. */
	public static Further none() {
		return new Further(List.of(), 0);
	}

}
