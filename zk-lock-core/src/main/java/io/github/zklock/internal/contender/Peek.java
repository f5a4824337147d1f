package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Identity;
import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.Obstacle;

/**
 * Looks whether keys seem free before anything is written. It may find a key busy that no
 * longer is, behind a server that lags; that a key is free is then shown by entering.
 */
public final class Peek {

	private Peek() {
	}

	/**
	 * Looks at the keys one after the other until one is busy.
	 * @param session where
	 * @param seats the seats to be
	 * @param then gets OK with the first obstacle or null, or the code of a look that
	 * failed
	 */
	public static void at(LockSession session, List<Seat> seats, Then then) {
		at(session, seats, 0, then);
	}

	private static void at(LockSession session, List<Seat> seats, int index, Then then) {
		if (index == seats.size()) {
			then.answered(Code.OK, null);
			return;
		}
		Seat seat = seats.get(index);
		Then next = (code, obstacle) -> {
			if (code == Code.OK && obstacle == null) {
				at(session, seats, index + 1, then);
			}
			else {
				then.answered(code, obstacle);
			}
		};
		if (seat.isPlain()) {
			atName(session, seat, next);
		}
		else {
			atLine(session, seat, next);
		}
	}

	private static void atName(LockSession session, Seat seat, Then then) {
		session.requests().read(seat.place(), null, (code, content, stat) -> seat.step(() -> {
			if (stat == null) {
				then.answered((code == Code.NONODE) ? Code.OK : code, null);
			}
			else if (stat.getEphemeralOwner() == 0) {
				seat.joinLine();
				atLine(session, seat, then);
			}
			else {
				then.answered(Code.OK, new Obstacle(seat.key(), Identity.who(content, seat.place()), true, null));
			}
		}));
	}

	private static void atLine(LockSession session, Seat seat, Then then) {
		session.requests().children(seat.place(), null, (code, names, stat) -> seat.step(() -> {
			if (code == Code.OK || code == Code.NONODE) {
				seat.placeSeen(code == Code.OK);
			}
			if (names == null || stat == null) {
				then.answered((code == Code.NONODE) ? Code.OK : code, null);
			}
			else {
				then.answered(Code.OK, obstacleIn(seat, names, stat));
			}
		}));
	}

	private static @Nullable Obstacle obstacleIn(Seat seat, List<String> names, Stat stat) {
		if (stat.getEphemeralOwner() != 0) {
			return seat.somebody(true);
		}
		Line.Position position = Line.of(names).positionAtEnd(seat.mode());
		return (position.obstacle() != null) ? seat.somebody(position.obstacleHolds()) : null;
	}

	/** Gets the outcome. */
	public interface Then {

		void answered(Code code, @Nullable Obstacle obstacle);

	}

}
