package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * The requests by which seats come into being, each of them one transaction, and the
 * looks by which they are found after the answer to one was lost.
 */
public final class SeatRequests {

	private static final byte[] EMPTY = {};

	private SeatRequests() {
	}

	/**
	 * Creates the node of one seat.
	 * @param session where
	 * @param seat whose node
	 * @param then gets OK when the node is there and stamped, or the code of the failure
	 */
	public static void create(LockSession session, Seat seat, Then then) {
		seat.entering();
		session.requests()
			.create(seat.entryPath(), seat.content(), seat.entryAcl(), seat.entryMode(),
					(code, path, stat) -> seat.step(() -> {
						if (code == Code.OK && path != null && stat != null) {
							seat.created(path);
							seat.stamped(stat.getCzxid(), stat.getCtime());
						}
						then.answered(code, 0);
					}));
	}

	/**
	 * Creates the place of a seat and its node in it. Nobody can stand before it: there
	 * was no line.
	 * @param session where
	 * @param seat whose node
	 * @param then gets OK when both are there, or the code of the failure, with 0 if it
	 * was the place's
	 */
	public static void createWithPlace(LockSession session, Seat seat, Then then) {
		seat.entering();
		List<Op> ops = List.of(Op.create(seat.place(), EMPTY, seat.entryAcl(), CreateMode.CONTAINER), seat.entryOp());
		session.requests().multi(ops, (code, results) -> seat.step(() -> {
			if (code == Code.OK && results != null) {
				seat.createdWithPlace(pathOf(seat, results.get(1)));
				stamp(List.of(seat), results.get(0));
			}
			then.answered(code, SessionRequests.failedIndex(results));
		}));
	}

	/**
	 * Creates the nodes of several seats.
	 * @param session where
	 * @param seats whose nodes
	 * @param then gets OK when all nodes are there and stamped, or the code of the seat
	 * that failed
	 */
	public static void createAll(LockSession session, List<Seat> seats, Then then) {
		seats.forEach(Seat::entering);
		List<Op> ops = new ArrayList<>(seats.stream().map(Seat::entryOp).toList());
		addStamp(ops, seats.get(0));
		session.requests().multi(ops, (code, results) -> seats.get(0).step(() -> {
			if (code == Code.OK && results != null) {
				for (int i = 0; i < seats.size(); i++) {
					seats.get(i).created(pathOf(seats.get(i), results.get(i)));
				}
				stamp(seats, results.get(seats.size()));
			}
			then.answered(code, Math.min(SessionRequests.failedIndex(results), seats.size() - 1));
		}));
	}

	/**
	 * Creates the node of one seat and deletes that of another in the same line.
	 * @param session where
	 * @param former whose node is deleted
	 * @param seat whose node is created
	 * @param then gets OK when both are done, or the code of the failure
	 */
	public static void createInstead(LockSession session, Seat former, Seat seat, Then then) {
		seat.entering();
		List<Op> ops = new ArrayList<>(4);
		ops.add(seat.entryOp());
		ops.add(Op.delete(Objects.requireNonNull(former.path()), -1));
		addStamp(ops, seat);
		session.requests().multi(ops, (code, results) -> seat.step(() -> {
			if (code == Code.OK && results != null) {
				seat.created(pathOf(seat, results.get(0)));
				stamp(List.of(seat), results.get(2));
			}
			then.answered(code, SessionRequests.failedIndex(results));
		}));
	}

	// The answer to a create of an ephemeral node in a multi does not say the
	// transaction's number, that of a container does. So a container comes and goes in
	// the same transaction, beside the seat's node, where nobody can ever see it.
	private static void addStamp(List<Op> ops, Seat seat) {
		String path = seat.entryPath();
		String stamp = path.substring(0, path.lastIndexOf('/')) + "/stamp-" + seat.id();
		ops.add(Op.create(stamp, EMPTY, seat.entryAcl(), CreateMode.CONTAINER));
		ops.add(Op.delete(stamp, -1));
	}

	private static void stamp(List<Seat> seats, OpResult container) {
		Stat stat = Objects.requireNonNull(((OpResult.CreateResult) container).getStat());
		seats.forEach((seat) -> seat.stamped(stat.getCzxid(), stat.getCtime()));
	}

	// The paths in a multi's answer still have the chroot of the connection string.
	private static String pathOf(Seat seat, OpResult result) {
		String path = ((OpResult.CreateResult) result).getPath();
		return seat.isPlain() ? seat.place() : seat.place() + path.substring(path.lastIndexOf('/'));
	}

	/**
	 * Looks for the nodes of all seats; to be called after a sync.
	 * @param seats whose nodes
	 * @param then gets how many are there, each stamped, with OK; or the code of the look
	 * that failed
	 */
	public static void find(List<Seat> seats, Then then) {
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

	/** Gets the outcome: a code, with the index of what failed or the number of seats. */
	public interface Then {

		void answered(Code code, int number);

	}

}
