package io.github.zklock.zookeeper;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * Creates the nodes of all seats of a contest in one transaction, or finds them after the
 * answer to that was lost.
 */
final class Entrance {

	private Entrance() {
	}

	/**
	 * Sends one create, or one multi for several seats.
	 * @param session where
	 * @param seats whose nodes
	 * @param then gets OK when all nodes are there and stamped, or the code of the seat
	 * that failed
	 */
	static void send(LockSession session, List<Seat> seats, Then then) {
		Seat first = seats.get(0);
		seats.forEach(Seat::entering);
		if (seats.size() == 1) {
			session.create(first.entryPath(), first.content(), first.entryAcl(), first.entryMode(),
					(code, path, stat) -> first.step(() -> {
						if (code == Code.OK && path != null && stat != null) {
							first.created(path);
							first.stamped(stat.getCzxid(), stat.getCtime());
						}
						then.answered(code, 0);
					}));
			return;
		}
		session.multi(seats.stream().map(Seat::entryOp).toList(), (code, results) -> first.step(() -> {
			if (code != Code.OK || results == null) {
				then.answered(code, failedIndex(results));
				return;
			}
			for (int i = 0; i < seats.size(); i++) {
				seats.get(i).created(pathOf(seats.get(i), (OpResult.CreateResult) results.get(i)));
			}
			stampAll(session, seats, then);
		}));
	}

	// The paths in a multi's answer still have the chroot of the connection string.
	private static String pathOf(Seat seat, OpResult.CreateResult result) {
		String path = result.getPath();
		return seat.isPlain() ? seat.place() : seat.place() + path.substring(path.lastIndexOf('/'));
	}

	private static int failedIndex(@Nullable List<OpResult> results) {
		if (results != null) {
			for (int i = 0; i < results.size(); i++) {
				if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
					return i;
				}
			}
		}
		return 0;
	}

	// A multi's answer does not say its zxid, so one node is asked for it. The seats'
	// lists are under way meanwhile.
	private static void stampAll(LockSession session, List<Seat> seats, Then then) {
		Seat first = seats.get(0);
		String path = (first.path() != null) ? first.path() : first.place();
		session.exists(path, (code, stat) -> first.step(() -> {
			if (code == Code.OK && stat != null) {
				seats.forEach((seat) -> seat.stamped(stat.getCzxid(), stat.getCtime()));
				then.answered(Code.OK, 0);
			}
			else {
				then.answered((code == Code.NONODE) ? Code.CONNECTIONLOSS : code, 0);
			}
		}));
	}

	/**
	 * Looks for the nodes of all seats; to be called after a sync.
	 * @param seats whose nodes
	 * @param then gets how many are there, each stamped, with OK; or the code of the look
	 * that failed
	 */
	static void find(List<Seat> seats, Then then) {
		find(seats, 0, 0, then);
	}

	private static void find(List<Seat> seats, int index, int found, Then then) {
		if (index == seats.size()) {
			then.answered(Code.OK, found);
			return;
		}
		Seat seat = seats.get(index);
		seat.find((code, path, stat) -> {
			if (code == Code.OK && path != null && stat != null) {
				seat.created(path);
				seat.stamped(stat.getCzxid(), stat.getCtime());
				find(seats, index + 1, found + 1, then);
			}
			else if (code == Code.NONODE) {
				find(seats, index + 1, found, then);
			}
			else {
				then.answered(code, found);
			}
		});
	}

	/** Gets the outcome: a code, with the index of the seat or the number of seats. */
	interface Then {

		void answered(Code code, int number);

	}

}
