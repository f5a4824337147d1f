package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * The requests by which the seats of a contender come into being, each of them one
 * transaction, and the looks by which they are found after the answer to one was lost.
 *
 * @param session where
 * @param terms what the contender works with
 * @param seats whose nodes are created
 */
record SeatRequests(LockSession session, ContenderTerms terms, List<Seat> seats) {

	private static final byte[] EMPTY = {};

	/**
	 * Creates the node of the only seat.
	 * @param then gets OK when the node is there and stamped, or the code of the failure
	 */
	void create(Then then) {
		Seat seat = this.seats.get(0);
		NodeFacts node = seat.node();
		seat.entering();
		this.session.requests()
			.create(node.entryPath(), node.content(), acl(seat), node.entryMode(), (code, path, stat) -> step(() -> {
				if (code == Code.OK && path != null && stat != null) {
					seat.created(path);
					seat.stamped(stat);
				}
				then.answered(code, 0);
			}));
	}

	/**
	 * Creates the place of the only seat and its node in it. Nobody can stand before it:
	 * there was no line.
	 * @param then gets OK when both are there, or the code of the failure, with 0 if it
	 * was the place's
	 */
	void createWithPlace(Then then) {
		Seat seat = this.seats.get(0);
		seat.entering();
		List<Op> ops = List.of(Op.create(seat.node().place(), EMPTY, acl(seat), CreateMode.CONTAINER), createOp(seat));
		this.session.requests().multi(ops, (code, results) -> step(() -> {
			if (code == Code.OK && results != null) {
				seat.createdWithPlace(pathOf(seat, results.get(1)));
				stamp(results.get(0));
			}
			then.answered(code, SessionRequests.failedIndex(results));
		}));
	}

	/**
	 * Creates the nodes of several seats.
	 * @param then gets OK when all nodes are there and stamped, or the code of the seat
	 * that failed
	 */
	void createAll(Then then) {
		this.seats.forEach(Seat::entering);
		List<Op> ops = new ArrayList<>(this.seats.stream().map(this::createOp).toList());
		addStamp(ops);
		this.session.requests().multi(ops, (code, results) -> step(() -> {
			if (code == Code.OK && results != null) {
				for (int i = 0; i < this.seats.size(); i++) {
					this.seats.get(i).created(pathOf(this.seats.get(i), results.get(i)));
				}
				stamp(results.get(this.seats.size()));
			}
			then.answered(code, Math.min(SessionRequests.failedIndex(results), this.seats.size() - 1));
		}));
	}

	/**
	 * Creates the node of the only seat and deletes that of another in the same line.
	 * @param former whose node is deleted
	 * @param then gets OK when both are done, or the code of the failure
	 */
	void createInstead(NodeFacts former, Then then) {
		Seat seat = this.seats.get(0);
		seat.entering();
		List<Op> ops = new ArrayList<>(4);
		ops.add(createOp(seat));
		ops.add(Op.delete(Objects.requireNonNull(former.path()), -1));
		addStamp(ops);
		this.session.requests().multi(ops, (code, results) -> step(() -> {
			if (code == Code.OK && results != null) {
				seat.created(pathOf(seat, results.get(0)));
				stamp(results.get(2));
			}
			then.answered(code, SessionRequests.failedIndex(results));
		}));
	}

	private void step(Runnable step) {
		this.terms.steps().execute(step);
	}

	private Op createOp(Seat seat) {
		NodeFacts node = seat.node();
		return Op.create(node.entryPath(), node.content(), acl(seat), node.entryMode());
	}

	private List<ACL> acl(Seat seat) {
		return this.terms.acl(seat.node().place());
	}

	// The answer to a create of an ephemeral node in a multi does not say the
	// transaction's number, that of a container does. So a container comes and goes in
	// the same transaction, beside the first node, where nobody can ever see it.
	private void addStamp(List<Op> ops) {
		Seat seat = this.seats.get(0);
		String path = seat.node().entryPath();
		String stamp = path.substring(0, path.lastIndexOf('/')) + "/stamp-" + seat.id();
		ops.add(Op.create(stamp, EMPTY, acl(seat), CreateMode.CONTAINER));
		ops.add(Op.delete(stamp, -1));
	}

	private void stamp(OpResult container) {
		Stat stat = Objects.requireNonNull(((OpResult.CreateResult) container).getStat());
		this.seats.forEach((seat) -> seat.stamped(stat));
	}

	// The paths in a multi's answer still have the chroot of the connection string.
	private static String pathOf(Seat seat, OpResult result) {
		String path = ((OpResult.CreateResult) result).getPath();
		String place = seat.node().place();
		return seat.node().isPlain() ? place : place + path.substring(path.lastIndexOf('/'));
	}

	/**
	 * Looks for the nodes of all seats; to be called after a sync.
	 * @param then gets how many are there, each stamped, with OK; or the code of the look
	 * that failed
	 */
	void find(Then then) {
		find(0, 0, then);
	}

	private void find(int index, int found, Then then) {
		if (index == this.seats.size()) {
			then.answered(Code.OK, found);
			return;
		}
		Seat seat = this.seats.get(index);
		seat.find((code, path, stat) -> {
			if (code == Code.OK && path != null && stat != null) {
				seat.created(path);
				seat.stamped(stat);
				find(index + 1, found + 1, then);
			}
			else if (code == Code.NONODE) {
				find(index + 1, found, then);
			}
			else {
				then.answered(code, found);
			}
		});
	}

	/** Gets the outcome: a code, with the index of what failed or the number of seats. */
	interface Then {

		void answered(Code code, int number);

	}

}
