package io.github.zklock.sample.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.github.zklock.sample.contest.ContestMode;
import io.github.zklock.sample.contest.ContestProgress;
import io.github.zklock.sample.contest.ContestProgress.Left;
import io.github.zklock.sample.contest.ContestReport;
import io.github.zklock.sample.contest.ContestReport.Percentiles;
import io.github.zklock.sample.contest.ContestReport.Violations;
import io.github.zklock.sample.contest.ContestReport.WatchEvents;
import io.github.zklock.sample.contest.ContestSpec;

/**
 * A contest that is over, to be compared with others.
 *
 * @param label {@code naive}, {@code sequential}, or {@code none} without a lock
 * @param mode what kept the clients apart
 * @param clients how many contended
 * @param sectionMillis how long each was at the counter
 * @param served how many came to the counter
 * @param violations what should not have happened
 * @param waitMillis how long the served clients waited
 * @param watchEvents the watch events; null without a lock
 * @param afterRelease how many watch events followed each release
 */
record RunView(String label, ContestMode mode, int clients, long sectionMillis, int served, Violations violations,
		Percentiles waitMillis, @Nullable WatchEvents watchEvents, List<Long> afterRelease) {

	static RunView of(ContestReport report, ContestProgress progress, ContestSpec spec) {
		WatchEvents events = report.watchEvents();
		return new RunView(label(spec), report.mode(), report.clients(), spec.thinkTime().toMillis(), report.served(),
				report.violations(), report.waitMillis(), events,
				(events != null) ? afterRelease(progress.left(), events.total()) : List.of());
	}

	static String label(ContestSpec spec) {
		return spec.mode().lockMode().isPresent() ? spec.strategy() : spec.mode().name().toLowerCase(Locale.ROOT);
	}

	private static List<Long> afterRelease(List<Left> left, long total) {
		List<Long> counts = new ArrayList<>();
		List<Left> served = left.stream().filter((next) -> next.visit().served()).toList();
		for (int i = 0; i < served.size(); i++) {
			long until = (i + 1 < served.size()) ? served.get(i + 1).watchEvents() : total;
			counts.add(until - served.get(i).watchEvents());
		}
		return counts;
	}

}
