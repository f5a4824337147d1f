package io.github.zklock.sample.contest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.sample.contest.ContestProgress.Score;
import io.github.zklock.sample.contest.ContestReport.Line;
import io.github.zklock.sample.contest.ContestReport.Percentiles;
import io.github.zklock.sample.contest.ContestReport.Point;
import io.github.zklock.sample.contest.ContestReport.Tickets;
import io.github.zklock.sample.contest.ContestReport.Turn;
import io.github.zklock.sample.contest.ContestReport.Violations;
import io.github.zklock.sample.contest.ContestReport.WatchEvents;
import io.github.zklock.sample.contest.QueueObserver.Length;
import io.github.zklock.sample.shop.Stock;

/**
 * Makes the report of a contest from what was seen of it.
 */
final class Referee {

	private static final int MAX_POINTS = 100;

	private final long start;

	private final List<Visit> served;

	private final List<Visit> turnedAway;

	Referee(List<Visit> visits) {
		this.start = visits.stream().mapToLong(Visit::asked).min().orElseThrow();
		this.served = visits.stream().filter(Visit::served).sorted(Comparator.comparingLong(Visit::entered)).toList();
		this.turnedAway = visits.stream().filter((visit) -> !visit.served()).toList();
	}

	ContestReport report(String contest, ContestSpec spec, Counter counter, @Nullable Observation observed) {
		Stock stock = counter.stock();
		Violations violations = new Violations(overlaps(), this.served.size() - counter.tally(), stock.soldTwice(),
				(observed != null) ? tokensOutOfOrder() : 0);
		long end = this.served.stream().mapToLong(Visit::left).max().orElse(this.start);
		return new ContestReport(contest, (observed != null) ? spec.strategy() : null, spec.mode(), spec.clients(),
				millis(end - this.start), this.served.size(), violations,
				new Tickets(stock.capacity(), stock.sold(), stock.remaining()), waits(),
				(observed != null) ? watchEvents(observed.watchEvents()) : null,
				(observed != null) ? line(observed) : null, waiting(), turns());
	}

	Score score() {
		long tickets = this.served.stream().map(Visit::ticket).distinct().count();
		return new Score(this.served.size(), this.turnedAway.size(), overlaps(), this.served.size() - (int) tickets,
				tokensOutOfOrder(), waits());
	}

	int overlaps() {
		int overlaps = 0;
		long lastLeft = this.start;
		for (Visit visit : this.served) {
			if (visit.entered() < lastLeft) {
				overlaps++;
			}
			lastLeft = Math.max(lastLeft, visit.left());
		}
		return overlaps;
	}

	int tokensOutOfOrder() {
		int wrong = 0;
		for (int i = 1; i < this.served.size(); i++) {
			if (this.served.get(i).fencingToken() <= this.served.get(i - 1).fencingToken()) {
				wrong++;
			}
		}
		return wrong;
	}

	private Percentiles waits() {
		long[] waits = this.served.stream().mapToLong((visit) -> visit.entered() - visit.asked()).sorted().toArray();
		return new Percentiles(percentile(waits, 50), percentile(waits, 99), percentile(waits, 100));
	}

	/**
	 * Finds a percentile by the nearest rank.
	 * @param sorted the values in nanoseconds, in ascending order
	 * @param percent which one
	 * @return milliseconds, zero if there are no values
	 */
	static double percentile(long[] sorted, int percent) {
		if (sorted.length == 0) {
			return 0;
		}
		int rank = (int) Math.ceil(sorted.length * percent / 100.0);
		return millis(sorted[Math.max(rank, 1) - 1]);
	}

	private WatchEvents watchEvents(long total) {
		double perRelease = this.served.isEmpty() ? 0 : Math.round(100.0 * total / this.served.size()) / 100.0;
		return new WatchEvents(total, perRelease);
	}

	private Line line(Observation observed) {
		int longest = observed.lengths().stream().mapToInt(Length::nodes).max().orElse(0);
		return new Line(observed.nodesSeen(), longest,
				thin(observed.lengths()
					.stream()
					.map((length) -> new Point(millis(length.since() - this.start), length.nodes()))
					.toList()));
	}

	private List<Point> waiting() {
		List<Visit> all = new ArrayList<>(this.served);
		all.addAll(this.turnedAway);
		long[] asked = all.stream().mapToLong(Visit::asked).sorted().toArray();
		long[] entered = all.stream().mapToLong(Visit::entered).sorted().toArray();
		List<Point> points = new ArrayList<>();
		int in = 0;
		for (int out = 0; out < entered.length; out++) {
			while (in < asked.length && asked[in] <= entered[out]) {
				in++;
			}
			points.add(new Point(millis(entered[out] - this.start), in - out - 1));
		}
		return thin(points);
	}

	private static List<Point> thin(List<Point> points) {
		int step = Math.max(1, (points.size() + MAX_POINTS - 1) / MAX_POINTS);
		List<Point> kept = new ArrayList<>();
		for (int i = 0; i < points.size(); i += step) {
			kept.add(points.get(i));
		}
		return kept;
	}

	private List<Turn> turns() {
		List<Turn> turns = new ArrayList<>();
		for (Visit visit : this.served) {
			turns.add(new Turn(visit.client(), since(visit.asked()), since(visit.entered()), since(visit.left()),
					(visit.fencingToken() != 0) ? visit.fencingToken() : null, visit.ticket(), null));
		}
		for (Visit visit : this.turnedAway) {
			turns.add(new Turn(visit.client(), since(visit.asked()), null, null, null, null, visit.failure()));
		}
		return turns;
	}

	private double since(long moment) {
		return millis(moment - this.start);
	}

	private static double millis(long nanos) {
		return Math.round(nanos / 10_000.0) / 100.0;
	}

	/**
	 * What was seen in ZooKeeper.
	 *
	 * @param watchEvents how many watch events reached the clients
	 * @param nodesSeen how many nodes were in the queue in all
	 * @param lengths the queue's length over time
	 */
	record Observation(long watchEvents, int nodesSeen, List<Length> lengths) {

		Observation {
			lengths = List.copyOf(lengths);
		}

	}

}
