package io.github.zklock.cli;

import java.util.List;

import io.github.zklock.inspect.LockQueue;

/**
 * A key.
 *
 * @param key the key
 * @param holders who holds it
 * @param queue who waits for it, in their order
 */
record KeyReport(String key, List<ContenderReport> holders, List<ContenderReport> queue) {

	static KeyReport of(LockQueue queue) {
		return new KeyReport(queue.key(), contenders(queue, true), contenders(queue, false));
	}

	private static List<ContenderReport> contenders(LockQueue queue, boolean holding) {
		return queue.contenders()
			.stream()
			.filter((contender) -> contender.holds() == holding)
			.map(ContenderReport::of)
			.toList();
	}

}
