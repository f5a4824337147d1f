package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.zklock.faults.History.StoreWrite;

/**
 * Judges a history by the promises: who believed to hold what excludes another, whether
 * tokens grew in the order of the grants, and what the fenced stores let through.
 *
 * <p>
 * A caller believes from the moment before {@code isHeld()} first answered true until the
 * moment before it last did, or until it was told of the loss. Both are moments at which
 * the lock was promised to be its own, so two conflicting beliefs that overlap are proof
 * of a double grant.
 */
final class HistoryChecker {

	/**
	 * By how much no call may be late, for 250 ms are promised, on a machine that has no
	 * time for anything.
	 */
	static final Duration LATE = Duration.ofSeconds(10);

	/** What a fault may have done to a call. */
	private static final Set<String> EXPLAINED = Set.of("LockTimeoutException", "LockUnavailableException",
			"InterruptedException");

	private final History history;

	private final Map<String, List<HoldRecord>> byKey;

	HistoryChecker(History history) {
		this.history = history;
		this.byKey = history.sections()
			.stream()
			.sorted(Comparator.comparingLong(HoldRecord::firstTrue))
			.collect(Collectors.groupingBy(HoldRecord::key, TreeMap::new, Collectors.toList()));
	}

	/**
	 * Finds what must not have happened.
	 * @return a sentence for each violation; empty if there is none
	 */
	List<String> violations() {
		List<String> found = new ArrayList<>();
		this.byKey.values().forEach((sections) -> {
			overlaps(sections).forEach((overlap) -> found.add(overlap.toString()));
			tokens(sections, found);
		});
		storeOrder(found);
		failures(found);
		return found;
	}

	/**
	 * Finds beliefs that exclude each other and overlap.
	 * @return the overlaps; empty if there is none
	 */
	List<Overlap> overlaps() {
		return this.byKey.values().stream().flatMap((sections) -> overlaps(sections).stream()).toList();
	}

	private static List<Overlap> overlaps(List<HoldRecord> sections) {
		int permits = HoldRecord.permits(sections.get(0).key());
		return (permits > 0) ? overlaps(sections, permits) : overlapsOfLocks(sections);
	}

	// The sections are in the order in which they began
	private static List<Overlap> overlaps(List<HoldRecord> sections, int permits) {
		List<Overlap> found = new ArrayList<>();
		List<HoldRecord> holding = new ArrayList<>();
		for (HoldRecord section : sections) {
			holding.removeIf((before) -> before.believedUntil() <= section.firstTrue());
			if (holding.size() >= permits) {
				found.add(new Overlap(holding.get(0), section));
			}
			holding.add(section);
		}
		return found;
	}

	// A WRITE that was downgraded keeps readers out first, and writers until its end
	private static List<Overlap> overlapsOfLocks(List<HoldRecord> sections) {
		List<Overlap> found = new ArrayList<>();
		HoldRecord writer = null;
		HoldRecord reader = null;
		for (HoldRecord section : sections) {
			boolean shared = section.mode().isShared();
			boolean overlapsWriter = writer != null && writer.exclusiveUntil() > section.firstTrue();
			if (overlapsWriter) {
				found.add(new Overlap(writer, section));
			}
			if (!shared && reader != null && reader.believedUntil() > section.firstTrue()
					&& !(overlapsWriter && reader.equals(writer))) {
				found.add(new Overlap(reader, section));
			}
			if (!shared && (writer == null || writer.exclusiveUntil() < section.exclusiveUntil())) {
				writer = section;
			}
			if (shared || section.isDowngraded()) {
				reader = later(reader, section);
			}
		}
		return found;
	}

	/**
	 * Counts the readers who came in beside a WRITE that had been downgraded.
	 * @return how many there were
	 */
	long joined() {
		long found = 0;
		for (List<HoldRecord> sections : this.byKey.values()) {
			HoldRecord reading = null;
			for (HoldRecord section : sections) {
				if (section.isDowngraded()) {
					reading = later(reading, section);
				}
				else if (section.mode().isShared() && reading != null
						&& reading.believedUntil() > section.firstTrue()) {
					found++;
				}
			}
		}
		return found;
	}

	private static HoldRecord later(HoldRecord one, HoldRecord other) {
		return (one == null || one.believedUntil() < other.believedUntil()) ? other : one;
	}

	private static void tokens(List<HoldRecord> sections, List<String> found) {
		if (HoldRecord.permits(sections.get(0).key()) > 0) {
			Set<Long> tokens = new HashSet<>();
			sections.stream()
				.filter((section) -> !tokens.add(section.token()))
				.forEach((section) -> found.add("TOKEN came twice: " + section));
			return;
		}
		HoldRecord writer = null;
		long readers = Long.MIN_VALUE;
		for (HoldRecord section : sections) {
			if (writer != null && section.token() <= writer.token()) {
				found.add("TOKEN went back: %s after %s".formatted(section, writer));
			}
			if (section.mode().isShared()) {
				readers = Math.max(readers, section.token());
			}
			else {
				if (section.token() <= readers) {
					found.add("TOKEN went back: %s after a reader with %d".formatted(section, readers));
				}
				writer = section;
			}
		}
	}

	private void storeOrder(List<String> found) {
		Map<List<String>, HoldRecord> byWho = new HashMap<>();
		this.history.sections().forEach((section) -> byWho.put(List.of(section.who(), section.key()), section));
		Map<String, HoldRecord> last = new HashMap<>();
		for (StoreWrite write : this.history.accepted()) {
			HoldRecord writer = byWho.get(List.of(write.who(), write.key()));
			if (writer == null) {
				continue;
			}
			HoldRecord before = last.get(write.key());
			if (before != null && before.firstTrue() > writer.firstTrue()) {
				found.add("STORE accepted %s after %s".formatted(writer, before));
			}
			last.put(write.key(), writer);
		}
	}

	// That a lock was lost is said to a worker that has lost one
	private void failures(List<String> found) {
		Set<String> losers = this.history.sections()
			.stream()
			.filter(HoldRecord::isLost)
			.map((lost) -> worker(lost.who()))
			.collect(Collectors.toSet());
		this.history.failures()
			.stream()
			.filter((failure) -> !EXPLAINED.contains(failure.kind()))
			.filter((
					failure) -> !("LockLostException".equals(failure.kind()) && losers.contains(worker(failure.who()))))
			.forEach((failure) -> found.add("FAILURE that no fault explains: " + failure));
	}

	private static String worker(String who) {
		return who.replaceFirst("#.*", "");
	}

	/**
	 * Measures, for those who were told of a loss, how much later the next conflicting
	 * caller entered.
	 * @return the smallest such margin in nanoseconds, negative if somebody was told too
	 * late; empty if nobody who lost was followed by another
	 */
	OptionalLong smallestMargin() {
		return this.history.sections()
			.stream()
			.filter(HoldRecord::isLost)
			.flatMapToLong((lost) -> this.byKey.get(lost.key())
				.stream()
				.filter((next) -> !next.equals(lost) && next.conflictsWith(lost) && next.firstTrue() > lost.firstTrue()
						&& next.token() > lost.token())
				.mapToLong((next) -> next.firstTrue() - lost.notified())
				.limit(1))
			.min();
	}

	/**
	 * Measures the call that came back latest after its deadline, with a lock or without.
	 * @return by how many nanoseconds; zero if there was none
	 */
	long latestNanos() {
		return latestNanos("");
	}

	/**
	 * Measures the call that came back latest after its deadline, with a lock or without.
	 * @param name the beginning of the callers' names
	 * @return by how many nanoseconds; zero if there was none
	 */
	long latestNanos(String name) {
		return Stream.concat(this.history.failures().stream(), this.history.overdue().stream())
			.filter((call) -> call.who().startsWith(name))
			.mapToLong(History.Call::lateNanos)
			.max()
			.orElse(0);
	}

	/**
	 * Says the figures in one line.
	 * @return the figures
	 */
	String summary() {
		Map<String, Long> kinds = this.history.failures()
			.stream()
			.collect(Collectors.groupingBy(History.Call::kind, TreeMap::new, Collectors.counting()));
		return ("acquisitions=%d together=%d downgraded=%d joined=%d lost=%d failures=%s latest=%dms margin=%s stored=%d"
				+ " refused=%d violations=%d")
			.formatted(this.history.sections().size(), this.history.enteredTogether(),
					this.history.sections().stream().filter(HoldRecord::isDowngraded).count(), joined(),
					this.history.sections().stream().filter(HoldRecord::isLost).count(), kinds,
					TimeUnit.NANOSECONDS.toMillis(latestNanos()), smallestMargin().isPresent()
							? TimeUnit.NANOSECONDS.toMillis(smallestMargin().getAsLong()) + "ms" : "-",
					this.history.accepted().size(), this.history.refused().size(), violations().size());
	}

	/**
	 * Two beliefs that exclude each other, at the same time.
	 *
	 * @param before the one that began first
	 * @param later the other one
	 */
	record Overlap(HoldRecord before, HoldRecord later) {

		long nanos() {
			long until = this.later.mode().isShared() ? this.before.exclusiveUntil() : this.before.believedUntil();
			return Math.min(until, this.later.believedUntil()) - this.later.firstTrue();
		}

		@Override
		public String toString() {
			return "OVERLAP of %d us: %s entered while %s held".formatted(TimeUnit.NANOSECONDS.toMicros(nanos()),
					this.later, this.before);
		}

	}

}
