package io.github.zklock.sample.lab;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.sample.contest.ContestMode;
import io.github.zklock.sample.contest.ContestProgress;
import io.github.zklock.sample.contest.ContestProgress.Left;
import io.github.zklock.sample.contest.ContestProgress.Score;
import io.github.zklock.sample.contest.ContestSpec;
import io.github.zklock.sample.contest.Visit;
import io.github.zklock.sample.lab.ContestRun.Stage;

/**
 * How far a contest is. Times are milliseconds since its clients began.
 *
 * @param id the contest's id
 * @param label what it is compared by
 * @param mode what keeps the clients apart
 * @param clients how many contend
 * @param sectionMillis how long each is at the counter
 * @param stage how far it is
 * @param failure why it failed; null if it did not
 * @param connected how many clients have a session
 * @param watchEvents how many watch events have reached them
 * @param score what has happened so far
 * @param from how many turns the receiver has got before
 * @param turns the turns since then
 */
record ContestView(String id, String label, ContestMode mode, int clients, long sectionMillis, Stage stage,
		@Nullable String failure, int connected, long watchEvents, Score score, int from, List<Turn> turns) {

	static ContestView of(String id, ContestSpec spec, Stage stage, @Nullable String failure, ContestProgress progress,
			int from) {
		List<Left> left = progress.left();
		int known = Math.min(from, left.size());
		return new ContestView(id, RunView.label(spec), spec.mode(), spec.clients(), spec.thinkTime().toMillis(), stage,
				failure, progress.clientsConnected(), progress.watchEventsSoFar(), progress.score(), known,
				left.subList(known, left.size()).stream().map((next) -> Turn.of(next, progress.start())).toList());
	}

	/**
	 * One client's turn.
	 *
	 * @param client which client
	 * @param asked when it asked
	 * @param entered when it came to the counter; null if it never did
	 * @param left when it left
	 * @param token its fencing token; null if it had none
	 * @param ticket its ticket; null if it has none
	 * @param watchEvents how many watch events had reached all clients by then
	 */
	record Turn(int client, double asked, @Nullable Double entered, double left, @Nullable Long token,
			@Nullable Integer ticket, long watchEvents) {

		static Turn of(Left left, long start) {
			Visit visit = left.visit();
			return new Turn(visit.client(), millis(visit.asked() - start),
					visit.served() ? millis(visit.entered() - start) : null, millis(visit.left() - start),
					(visit.fencingToken() != 0) ? visit.fencingToken() : null, visit.ticket(), left.watchEvents());
		}

		private static double millis(long nanos) {
			return Math.round(nanos / 10_000.0) / 100.0;
		}

	}

}
