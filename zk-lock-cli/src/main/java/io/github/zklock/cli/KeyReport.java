package io.github.zklock.cli;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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

	/**
	 * Says how many of the key's permits are held. If clients differ in how many there
	 * are, the smallest number applies.
	 * @return one line of text, or empty if no permit is held
	 */
	Optional<String> permitsText() {
		return this.holders.stream()
			.map(ContenderReport::permits)
			.filter(Objects::nonNull)
			.min(Comparator.naturalOrder())
			.map((permits) -> "%s of %s permits are held".formatted(this.holders.size(), permits));
	}

	private static List<ContenderReport> contenders(LockQueue queue, boolean holding) {
		return queue.contenders()
			.stream()
			.filter((contender) -> contender.holds() == holding)
			.map(ContenderReport::of)
			.toList();
	}

}
