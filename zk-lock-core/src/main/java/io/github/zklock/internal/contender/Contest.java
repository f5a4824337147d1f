package io.github.zklock.internal.contender;

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

import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.internal.session.SessionWaiter;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.Obstacle;

/*
 * One contender, from its entry until nothing of it is left, across sessions.
 *
 *   OUTSIDE     waits for a session
 *   PEEKING     (ifFree only) looks before it writes
 *   ENTERING    our nodes are being made, see `Entrance`
 *   STANDING    our nodes are there; each seat waits for its turn
 *   GRANTED     all seats were clear while the lease was valid
 *   LEAVING     nodes being deleted
 *   OVER        nothing is left; final
 *
 * A new session starts again from OUTSIDE with new seats, unless GRANTED (then the grants
 * are lost) or LEAVING. All steps run in one mailbox, so there are no races inside; the
 * contests of a key share it, so that the delete of one that leaves is sent before the
 * first request of one that this client enters afterwards. What may come late is an answer
 * to something no longer wanted: a round begins with every phase change.
 *
 * A contest may begin instead of another one of its key that is granted: then one
 * transaction creates our node and deletes that one's. From `retire` on the other one is
 * LEAVING and its node is in our care, until its entrance has dealt with it; with its
 * session it goes anyway.
 *
 * I1: the listener is not called after `left`, except `lost` for grants not yet released.
 * I2: `granted` is called at most once, and only with the lease valid at that moment.
 * I3: several keys are entered by one transaction: all nodes or none. ZooKeeper orders
 *     transactions totally, so of two contests on shared keys one stands before the other
 *     in every shared line, and none can wait in a circle. While obstructed nothing is held.
 * I4: `gone` completes after every seat is gone.
 * I5: the node of the contest that we begin instead of is deleted, whatever becomes of us.
 */
/**
 * A contender of the built-in strategies.
 */
public final class Contest implements Contender, SessionWaiter, Entrance.Host, Seat.Host {

	private enum Phase {

		OUTSIDE, PEEKING, ENTERING, STANDING, GRANTED, LEAVING, OVER

	}

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final SessionSource source;

	private final KeyShard shard;

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

	private @Nullable Entrance entrance;

	private @Nullable Seat insteadOf;

	private boolean left;

	private final Rounds rounds;

	public Contest(SessionSource source, KeyShards shards, LockEntry entry, ContenderListener listener, boolean naive) {
		this.source = source;
		this.shard = shards.of(entry.keys().get(0));
		this.rounds = new Rounds(this.shard.mailbox());
		this.entry = entry;
		this.listener = listener;
		this.naive = naive;
	}

	public Contest start() {
		this.shard.mailbox().execute(this::seek);
		return this;
	}

	/**
	 * Begins and lets another contest leave, with one request if possible.
	 * @param former who leaves
	 * @return this contest
	 */
	public Contest startInsteadOf(Contest former) {
		if (!former.shard.equals(this.shard) || !former.entry.keys().equals(this.entry.keys()) || this.entry.ifFree()) {
			former.leave();
			return start();
		}
		this.shard.mailbox().execute(() -> {
			this.insteadOf = former.retire();
			seek();
		});
		return this;
	}

	// Leaves, but hands its node over to the contest that begins; if it cannot, leaves as
	// it would otherwise.
	private @Nullable Seat retire() {
		LockSession live = this.session;
		Seat seat = (this.phase == Phase.GRANTED && this.seats.size() == 1) ? this.seats.get(0) : null;
		if (this.left || seat == null || seat.isPlain() || seat.isRemoving() || live == null
				|| live != this.source.current()) {
			leave();
			return null;
		}
		this.left = true;
		enter(Phase.LEAVING);
		seat.retire();
		return seat;
	}

	@Override
	public LockMode mode() {
		return this.entry.mode();
	}

	@Override
	public boolean isIfFree() {
		return this.entry.ifFree();
	}

	@Override
	public boolean isHerd() {
		return this.naive && mode() != LockMode.EXCLUSIVE;
	}

	@Override
	public boolean hasLeft() {
		return this.left;
	}

	@Override
	public List<ACL> acl(String path) {
		return this.source.paths().acl(path);
	}

	@Override
	public RecentPlaces recentPlaces() {
		return this.shard.recentPlaces();
	}

	@Override
	public void placeSeen(boolean there) {
		if (this.seats.size() == 1 && !this.seats.get(0).isPlain()) {
			recentPlaces().seen(this.entry.keys().get(0), there);
		}
	}

	@Override
	public void step(Runnable step) {
		this.shard.mailbox().execute(step);
	}

	private int enter(Phase next) {
		this.phase = next;
		return this.rounds.next();
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
		if (this.entrance != null) {
			this.entrance.abandon();
			this.entrance = null;
		}
		this.source.await(this);
	}

	@Override
	public void sessionBegan(LockSession live) {
		step(() -> {
			if (this.phase == Phase.OUTSIDE && !this.left && this.session == null) {
				begin(live);
			}
		});
	}

	@Override
	public void sessionRefused(Code code, String path) {
		step(() -> refused(code, path));
	}

	@Override
	public void sessionDelayed(Code code, String path) {
		step(() -> disturbed(code, path));
	}

	private void begin(LockSession live) {
		this.session = live;
		boolean plain = this.naive && mode() == LockMode.EXCLUSIVE;
		List<Seat> fresh = new ArrayList<>(this.entry.keys().size());
		for (String key : this.entry.keys()) {
			String id = this.source.identity().nextId();
			byte[] content = this.source.identity().describe(id, mode(), this.entry.caller());
			fresh.add(new Seat(this, live, key, this.source.paths().place(key), id, content, plain));
		}
		this.seats = fresh;
		this.vanished = false;
		Entrance way = new Entrance(this, live, this.source.paths(), fresh, this.freshPlaces, takeInsteadOf(live));
		this.entrance = way;
		int current = enter(isIfFree() ? Phase.PEEKING : Phase.ENTERING);
		fresh.forEach(live::track);
		this.rounds.step(current, isIfFree() ? () -> peek(live, way) : way::begin);
	}

	// The node that was left to us, if it is there for our first request to delete.
	private @Nullable Seat takeInsteadOf(LockSession live) {
		Seat former = this.insteadOf;
		this.insteadOf = null;
		return (former != null && former.isIn(live) && !former.isGone()) ? former : null;
	}

	@Override
	public void sessionEnded(LockSession ended) {
		if (this.session != ended || this.phase == Phase.OVER) {
			return;
		}
		if (this.phase == Phase.GRANTED || this.left) {
			seatGone();
			return;
		}
		disturbed(Code.SESSIONEXPIRED, this.source.paths().root());
		seek();
	}

	// --- peeking ---

	private void peek(LockSession live, Entrance way) {
		int current = this.rounds.current();
		Peek.at(live, this.seats, (code, obstacle) -> this.rounds.step(current, () -> {
			if (obstacle != null) {
				blocked(obstacle);
			}
			else if (Answer.of(code) == Answer.REFUSED) {
				refused(code, this.source.paths().root());
			}
			else if (code == Code.OK) {
				enter(Phase.ENTERING);
				way.begin();
			}
			else {
				disturbed(code, this.source.paths().root());
				live.afterSync(this.rounds.bind(() -> peek(live, way)));
			}
		}));
	}

	// --- standing ---

	@Override
	public void entered(boolean incomplete) {
		enter(Phase.STANDING);
		this.confirmations = 0;
		this.vanished = this.vanished || incomplete;
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

	@Override
	public void seatClear() {
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

	@Override
	public void vanished() {
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

	@Override
	public void blocked(Obstacle obstacle) {
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

	@Override
	public void disturbed(Code code, String path) {
		if (!this.left) {
			this.listener.disturbed(Answer.disturbance(code, path));
		}
	}

	@Override
	public void fail(Code code, String path) {
		if (!this.left) {
			this.left = true;
			KeeperException cause = KeeperException.create(code, path);
			String what = (code == Code.AUTHFAILED) ? "the credentials of this client, which asked for the lock"
					: "the lock";
			this.listener.failed(new LockUnavailableException(
					"ZooKeeper refused %s %s at %s: %s".formatted(what, this.entry.keys(), path, cause.getMessage()),
					cause));
		}
	}

	@Override
	public void refused(Code code, String path) {
		fail(code, path);
		if (this.phase == Phase.OUTSIDE) {
			leaveNow();
		}
		else {
			over();
		}
	}

	@Override
	public void unsendable(RuntimeException cause) {
		if (!this.left) {
			this.left = true;
			this.listener.failed(new LockUnavailableException(
					"The request for the lock %s could not be made: %s".formatted(this.entry.keys(), cause), cause));
		}
		over();
	}

	@Override
	public void lost(Grant grant, LostReason reason) {
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
				this.source.forget(this);
				over();
			}
			case PEEKING, STANDING, GRANTED -> over();
			case ENTERING -> {
				// Otherwise the answer leads to the end.
				if (this.entrance != null && this.entrance.isIdle()) {
					over();
				}
			}
			case LEAVING, OVER -> {
				// The last seat leads to the end.
			}
		}
	}

	@Override
	public void over() {
		if (this.phase != Phase.LEAVING && this.phase != Phase.OVER) {
			enter(Phase.LEAVING);
			if (this.insteadOf != null) {
				this.insteadOf.removeAfterAll();
				this.insteadOf = null;
			}
			if (this.entrance != null) {
				this.entrance.close();
			}
			List.copyOf(this.seats).forEach(Seat::remove);
			seatGone();
		}
	}

	@Override
	public void seatGone() {
		boolean leaving = this.phase == Phase.GRANTED || this.phase == Phase.LEAVING || this.left;
		if (leaving && this.phase != Phase.OVER && this.seats.stream().allMatch(Seat::isGone)
				&& this.formerSeats.stream().allMatch(Seat::isGone)) {
			enter(Phase.OVER);
			this.gone.complete(null);
		}
	}

}
