package io.github.zklock.internal.contender;

import java.util.List;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.Obstacle;
import io.github.zklock.zookeeper.Engines;

/**
 * Seats that no contender has entered with.
 */
public final class Seats {

	private Seats() {
	}

	/**
	 * Makes a seat that is not there yet.
	 * @param session the session that it would live in
	 * @return the seat, of the key {@code key}
	 */
	public static Seat in(LockSession session) {
		LockEntry entry = new LockEntry(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), entry, false);
		ContenderListener listener = new NobodyListens();
		Contest contest = new Contest(terms, listener);
		return new Seat(contest, terms, new ContenderReports(terms, listener, contest), session, terms.newNode("key"));
	}

	private static final class NobodyListens implements ContenderListener {

		@Override
		public void granted(List<Grant> grants) {
		}

		@Override
		public void blocked(Obstacle obstacle) {
		}

		@Override
		public void busy(Obstacle obstacle) {
		}

		@Override
		public void failed(LockException cause) {
		}

		@Override
		public void disturbed(Exception cause) {
		}

		@Override
		public void lost(Grant grant, LostReason reason) {
		}

	}

}
