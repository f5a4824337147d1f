package io.github.zklock.benchmarks.run;

import java.util.List;

/**
 * What is measured besides workloads and herds.
 *
 * @param queues how many sessions queue for one key that is drained then
 * @param kills how often a holder and a leader are killed
 * @param far on how many servers far away and with slow disks
 */
public record Further(List<Integer> queues, int kills, List<Integer> far) {

	/** Nothing. */
	public static Further none() {
		return new Further(List.of(), 0, List.of());
	}

}
