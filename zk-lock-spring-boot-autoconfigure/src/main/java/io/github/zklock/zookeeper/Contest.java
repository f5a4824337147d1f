package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import io.github.zklock.Contender;
import io.github.zklock.ContenderListener;
import io.github.zklock.Grant;
import io.github.zklock.LockEntry;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.Obstacle;
import io.github.zklock.concurrent.Mailbox;

/*
 * One contender, from its entry until nothing of it is left, across sessions.
 *
 *   OUTSIDE     waits for a session
 *   PEEKING     (ifFree only) looks before it writes
 *   ENTERING    create or multi sent, and behind it the lists of the lines; or places
 *               being made; or an answer lost and our nodes being looked for
 *   OBSTRUCTED  a node stands where ours should be; nothing of ours is in ZooKeeper
 *   STANDING    our nodes are there; each seat waits for its turn
 *   GRANTED     all seats were clear while the lease was valid
 *   LEAVING     nodes being deleted
 *   OVER        nothing is left; final
 *
 * A new session starts again from OUTSIDE with new seats, unless GRANTED (then the grants
 * are lost) or LEAVING. All steps run in one mailbox, so there are no races inside; the
 * contests of a key share it, so that the delete of one that leaves is sent before the
 * first request of one that this client enters afterwards. What may come late is an answer to something no longer wanted: `round` tells, it grows with
 * every phase change, except that an answer to a create is always waited for, because only
 * it tells whether there is a node to delete.
 *
 * I1: the listener is not called after `left`, except `lost` for grants not yet released.
 * I2: `granted` is called at most once, and only with the lease valid at that moment.
 * I3: several keys are entered by one transaction: all nodes or none. ZooKeeper orders
 *     transactions totally, so of two contests on shared keys one stands before the other
 *     in every shared line, and none can wait in a circle. While obstructed nothing is held.
 * I4: `gone` completes after every seat is gone.
 */
/**
 * A contender of the built-in strategies.
 */
final class Contest implements Contender {

	private enum Phase {

		OUTSIDE, PEEKING, ENTERING, OBSTRUCTED, STANDING, GRANTED, LEAVING, OVER

	}

	private final Mailbox mailbox;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final LockSessions sessions;

	private final LockEntry entry;

	private final ContenderListener listener;

	private final boolean naive;

	private Phase phase = Phase.OUTSIDE;

	private @Nullable LockSession session;

	private List<Seat> seats = List.of();

	private List<Seat> formerSeats = List.of();

	private final Set<String> freshPlaces = new LinkedHashSet<>();

	private boolean vanished;

	private int confirmations;

	private @Nullable Obstruction obstruction;

	private boolean left;

	private int round;

	Contest(LockSessions sessions, LockEntry entry, ContenderListener listener, boolean naive) {
		this.sessions = sessions;
		this.mailbox = sessions.mailbox(entry.keys().get(0));
		this.entry = entry;
		this.listener = listener;
		this.naive = naive;
	}

	Contest start() {
		this.mailbox.execute(this::seek);
		return this;
	}

	LockMode mode() {
		return this.entry.mode();
	}

	boolean isIfFree() {
		return this.entry.ifFree();
	}

	boolean isHerd() {
		return this.naive && mode() != LockMode.EXCLUSIVE;
	}

	List<ACL> acl(String path) {
		return this.sessions.paths().acl(path);
	}

	void step(Runnable step) {
		this.mailbox.execute(step);
	}

	private void step(int current, Runnable step) {
		this.mailbox.execute(() -> {
			if (current == this.round) {
				step.run();
			}
		});
	}

	private int enter(Phase next) {
		this.phase = next;
		return ++this.round;
	}

	// --- a session ---

	private void seek() {
		if (this.left) {
			over();
			return;
		}
		enter(Phase.OUTSIDE);
		this.session = null;
		this.seats = List.of();
		this.obstruction = null;
		this.sessions.await(this);
	}

	/**
	 * There is a session. Called on any thread, possibly more than once.
	 * @param live the session
	 */
	void sessionBegan(LockSession live) {
		step(() -> {
			if (this.phase == Phase.OUTSIDE && !this.left && this.session == null) {
				begin(live);
			}
		});
	}

	private void begin(LockSession live) {
		this.session = live;
		boolean plain = this.naive && mode() == LockMode.EXCLUSIVE;
		List<Seat> fresh = new ArrayList<>(this.entry.keys().size());
		for (String key : this.entry.keys()) {
			String id = this.sessions.identity().nextId();
			byte[] content = this.sessions.identity().describe(id, mode(), this.entry.caller());
			fresh.add(new Seat(this, live, key, this.sessions.paths().place(key), id, content, plain));
		}
		this.seats = fresh;
		this.vanished = false;
		int current = enter(isIfFree() ? Phase.PEEKING : Phase.ENTERING);
		fresh.forEach(live::track);
		step(current, isIfFree() ? () -> peek(live) : () -> create(live));
	}

	void sessionEnded(LockSession ended) {
		if (this.session != ended || this.phase == Phase.OVER) {
			return;
		}
		if (this.phase == Phase.GRANTED || this.left) {
			seatGone();
			return;
		}
		disturbed(Code.SESSIONEXPIRED, this.sessions.paths().root());
		seek();
	}

	// --- peeking ---

	private void peek(LockSession live) {
		int current = this.round;
		Peek.at(live, this.seats, (code, obstacle) -> step(current, () -> {
			if (obstacle != null) {
				blocked(obstacle);
			}
			else if (Answer.of(code) == Answer.REFUSED) {
				refused(code, this.sessions.paths().root());
			}
			else if (code == Code.OK) {
				enter(Phase.ENTERING);
				create(live);
			}
			else {
				disturbed(code, this.sessions.paths().root());
				live.afterSync(() -> step(current, () -> peek(live)));
			}
		}));
	}

	// --- entering ---

	private void create(LockSession live) {
		int current = enter(Phase.ENTERING);
		try {
			Entrance.send(live, this.seats, (code, index) -> step(current, () -> created(live, code, index)));
		}
		catch (RuntimeException ex) {
			unsendable(ex);
			return;
		}
		this.seats.stream().filter((seat) -> !seat.isPlain()).forEach((seat) -> seat.queueing().look());
	}

	private void created(LockSession live, Code code, int index) {
		switch (Answer.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					stand();
				}
				else if (this.left) {
					over();
				}
				else if (code == Code.NONODE) {
					makePlaces(live);
				}
				else {
					obstructedAt(live, this.seats.get(index));
					if (code == Code.NOCHILDRENFOREPHEMERALS) {
						blocked(this.seats.get(index).somebody(true));
					}
				}
			}
			case LOST -> {
				disturbed(code, this.seats.get(0).place());
				findAfterSync(live);
			}
			case REFUSED -> refused(code, this.seats.get(Math.max(index, 0)).place());
			case ENDED -> {
			}
		}
	}

	// Our create or multi may have been handled: looks for its nodes before anything
	// else.
	private void findAfterSync(LockSession live) {
		int current = enter(Phase.ENTERING);
		live.afterSync(() -> step(current,
				() -> Entrance.find(this.seats, (code, count) -> step(current, () -> found(live, code, count)))));
	}

	private void found(LockSession live, Code code, int count) {
		if (code == Code.OK && count == 0) {
			if (this.left) {
				over();
			}
			else {
				create(live);
			}
		}
		else if (code == Code.OK) {
			this.vanished = count < this.seats.size();
			this.seats.stream().filter((seat) -> !seat.isPlain()).forEach((seat) -> seat.queueing().look());
			stand();
		}
		else if (Answer.of(code) == Answer.REFUSED) {
			refused(code, this.seats.get(0).place());
		}
		else {
			findAfterSync(live);
		}
	}

	private void makePlaces(LockSession live) {
		if (this.left) {
			over();
			return;
		}
		int current = enter(Phase.ENTERING);
		List<String> places = this.seats.stream().filter((seat) -> !seat.isPlain()).map(Seat::place).toList();
		try {
			makePlaces(live, places, current);
		}
		catch (RuntimeException ex) {
			unsendable(ex);
		}
	}

	private void makePlaces(LockSession live, List<String> places, int current) {
		Places.make(live, this.sessions.paths(), places, (place) -> step(() -> this.freshPlaces.add(place)),
				(code) -> step(current, () -> {
					if (this.left) {
						over();
					}
					else if (code == Code.OK) {
						create(live);
					}
					else if (Answer.of(code) == Answer.LOST) {
						disturbed(code, this.sessions.paths().root());
						live.afterSync(() -> step(current, () -> makePlaces(live)));
					}
					else {
						refused(code, this.sessions.paths().root());
					}
				}));
	}

	private void obstructedAt(LockSession live, Seat seat) {
		int current = enter(Phase.OBSTRUCTED);
		this.obstruction = new Obstruction(live, seat, new Obstruction.Outcome() {

			@Override
			public void over() {
				step(current, () -> create(live));
			}

			@Override
			public void ours() {
				step(current, () -> findAfterSync(live));
			}

			@Override
			public void blocked(Obstacle obstacle) {
				step(current, () -> Contest.this.blocked(obstacle));
			}

			@Override
			public void unseen(Code code) {
				step(current, () -> {
					if (Answer.of(code) == Answer.REFUSED) {
						refused(code, seat.place());
					}
					else {
						disturbed(code, seat.place());
						live.afterSync(() -> step(current, () -> create(live)));
					}
				});
			}

		});
		this.obstruction.await();
	}

	// --- standing ---

	private void stand() {
		enter(Phase.STANDING);
		this.confirmations = 0;
		this.freshPlaces.clear();
		if (this.left) {
			over();
		}
		else if (this.vanished) {
			vanished();
		}
		else {
			seatClear();
		}
	}

	/** A seat has become clear, or its token is known: perhaps it was the last. */
	void seatClear() {
		LockSession live = this.session;
		if (this.phase != Phase.STANDING || live == null) {
			return;
		}
		for (Seat seat : this.seats) {
			if (!seat.queueing().isClear() || !seat.grant().isStamped()) {
				return;
			}
		}
		if (live.isConfirmed()) {
			enter(Phase.GRANTED);
			this.seats.forEach((seat) -> live.hold(seat.grant()));
			this.listener.granted(List.copyOf(this.seats.stream().map(Seat::grant).toList()));
			this.seats.stream()
				.filter((seat) -> seat.queueing().isClearByEvent())
				.forEach((seat) -> seat.grant().checkNode());
		}
		else {
			long pause = (this.confirmations++ == 0) ? 0 : live.leasePause();
			this.seats.forEach((seat) -> seat.queueing().confirm(pause));
		}
	}

	/** A node of ours was deleted by somebody else. Enters anew, with new nodes. */
	void vanished() {
		LockSession live = this.session;
		this.vanished = true;
		if (this.phase == Phase.STANDING && live != null) {
			this.seats.forEach(Seat::doubt);
			this.formerSeats = Stream.concat(this.formerSeats.stream(), this.seats.stream())
				.filter((seat) -> !seat.isGone())
				.toList();
			begin(live);
			this.formerSeats.forEach(Seat::remove);
		}
	}

	void blocked(Obstacle obstacle) {
		if (this.left) {
			return;
		}
		if (isIfFree()) {
			this.left = true;
			this.listener.busy(obstacle);
			leaveNow();
		}
		else {
			this.listener.blocked(obstacle);
		}
	}

	void disturbed(Code code, String path) {
		if (!this.left) {
			this.listener.disturbed(KeeperException.create(code, path));
		}
	}

	void refused(Code code, String path) {
		if (!this.left) {
			this.left = true;
			KeeperException cause = KeeperException.create(code, path);
			this.listener.failed(new LockUnavailableException(
					"ZooKeeper refused the lock %s at %s: %s".formatted(this.entry.keys(), path, cause.getMessage()),
					cause));
		}
		if (this.phase == Phase.OBSTRUCTED || this.phase == Phase.OUTSIDE) {
			leaveNow();
		}
		else {
			over();
		}
	}

	// Nothing was sent: an ACL provider of the user's, for one, has failed.
	private void unsendable(RuntimeException cause) {
		if (!this.left) {
			this.left = true;
			this.listener.failed(new LockUnavailableException(
					"The request for the lock %s could not be made: %s".formatted(this.entry.keys(), cause), cause));
		}
		over();
	}

	void lost(Grant grant, LostReason reason) {
		step(() -> {
			if (this.phase == Phase.GRANTED) {
				this.listener.lost(grant, reason);
			}
		});
	}

	// --- leaving ---

	@Override
	public CompletionStage<Void> leave() {
		step(() -> {
			if (!this.left) {
				this.left = true;
				leaveNow();
			}
		});
		return this.gone;
	}

	private void leaveNow() {
		switch (this.phase) {
			case OUTSIDE -> {
				this.sessions.forget(this);
				over();
			}
			case OBSTRUCTED -> {
				if (this.obstruction != null) {
					this.obstruction.stop();
				}
				over();
			}
			case PEEKING, STANDING, GRANTED -> over();
			case ENTERING, LEAVING, OVER -> {
				// The answer to the create, or the last seat, leads to the end.
			}
		}
	}

	/** Nothing more is wanted: removes what is there. */
	private void over() {
		if (this.phase != Phase.LEAVING && this.phase != Phase.OVER) {
			enter(Phase.LEAVING);
			List.copyOf(this.seats).forEach(Seat::remove);
			leavePlacesUnused();
			seatGone();
		}
	}

	private void leavePlacesUnused() {
		LockSession live = this.session;
		if (live != null) {
			this.freshPlaces.forEach((place) -> Places.leaveUnused(live, this.sessions.paths(), place));
			this.freshPlaces.clear();
		}
	}

	/** A seat is gone: perhaps it was the last one. */
	void seatGone() {
		boolean leaving = this.phase == Phase.GRANTED || this.phase == Phase.LEAVING || this.left;
		if (leaving && this.phase != Phase.OVER && this.seats.stream().allMatch(Seat::isGone)
				&& this.formerSeats.stream().allMatch(Seat::isGone)) {
			enter(Phase.OVER);
			this.gone.complete(null);
		}
	}

}
