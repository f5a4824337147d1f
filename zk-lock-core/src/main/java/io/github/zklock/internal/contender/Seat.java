package io.github.zklock.internal.contender;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.Identity;
import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.LineName;
import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionMember;
import io.github.zklock.internal.session.SessionRequests;
import io.github.zklock.spi.Obstacle;

/*
 * ABSENT -> PRESENT (its create was answered, or it was found) -> REMOVING -> GONE.
 * ABSENT -> GONE. `Entrance` makes it, `Queueing` waits for its turn, `SeatGrant` is what it
 * becomes. All steps run in the contest's mailbox. While REMOVING a delete is under way,
 * alone, together with the place's, or together with the create of the seat that follows.
 *
 * I1: a node of a line may be deleted again and again, for its name is unique. A plain node
 *     is deleted without a look only once, and only while its own watch shows that it is
 *     there, or it is younger than a moment; otherwise, and again after every lost answer,
 *     it is first read whose node it is.
 * I2: `gone` completes when the node cannot be there any more: the server said so, or the
 *     session has ended.
 * I3: a place is deleted only by multi(delete our node, delete place), never by its path
 *     alone, for at that path another client's plain node may stand. The first delete
 *     succeeds only for our own child, whose name is unique: so at that moment, inside the
 *     transaction, what stands at the path has a child and is therefore a place and no
 *     ephemeral node; and it is the one that we made, because a node with a child is not
 *     deleted. The second succeeds only if nobody else is in it (and, by its version, if
 *     nobody has put data there). So nobody who stands in line loses anything, and who
 *     comes later finds no place and makes one. The same transaction may be sent again
 *     after its answer was lost: if it was handled our node is gone and the first delete
 *     fails, whatever stands at the path by then.
 */
/**
 * A contender's node for one key in one session: in the key's line
 * ({@code <place>/_c_<id>-lock-<n>}), or plain (the place's own path).
 */
public final class Seat implements SessionMember, ContentionWatch.Host {

	private static final Logger log = LoggerFactory.getLogger(Seat.class);

	private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** How long after a refusal the same is tried again: rights may be restored. */
	public static final long REFUSED_PAUSE = TimeUnit.SECONDS.toNanos(1);

	private final Host contest;

	private final ContenderTerms terms;

	private final LockSession session;

	private final String key;

	private final String place;

	private final String id;

	private final byte[] content;

	private final Queueing queueing;

	private final SeatGrant grant;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private boolean plain;

	private @Nullable String path;

	private long ctime;

	private long createdAt;

	private boolean madePlace;

	private boolean accompanied;

	private boolean doubted;

	private boolean removing;

	private boolean refused;

	Seat(Host contest, ContenderTerms terms, ContenderReports reports, LockSession session, String key, String id,
			byte[] content) {
		this.contest = contest;
		this.terms = terms;
		this.session = session;
		this.key = key;
		this.place = terms.source().paths().place(key);
		this.id = id;
		this.content = content;
		this.plain = terms.isPlain();
		this.queueing = new Queueing(contest, terms, reports, session, this);
		this.grant = new SeatGrant(terms, reports, session, this);
	}

	@Override
	public String id() {
		return this.id;
	}

	public String key() {
		return this.key;
	}

	@Override
	public String place() {
		return this.place;
	}

	@Override
	public LockMode mode() {
		return this.terms.mode();
	}

	public boolean isPlain() {
		return this.plain;
	}

	public Queueing queueing() {
		return this.queueing;
	}

	public SeatGrant grant() {
		return this.grant;
	}

	public @Nullable String path() {
		return this.path;
	}

	@Override
	public String name() {
		return (this.path != null) ? this.path.substring(this.place.length() + 1) : "";
	}

	public boolean isIn(LockSession some) {
		return this.session == some;
	}

	public boolean isRemoving() {
		return this.removing;
	}

	public boolean isGone() {
		return this.gone.isDone();
	}

	public CompletableFuture<Void> whenGone() {
		return this.gone;
	}

	public String entryPath() {
		return this.plain ? this.place : this.place + "/" + LineName.prefix(this.id, mode());
	}

	public CreateMode entryMode() {
		return this.plain ? CreateMode.EPHEMERAL : CreateMode.EPHEMERAL_SEQUENTIAL;
	}

	public byte[] content() {
		return this.content;
	}

	public List<ACL> entryAcl() {
		return this.terms.acl(this.place);
	}

	public Op entryOp() {
		return Op.create(entryPath(), this.content, entryAcl(), entryMode());
	}

	@Override
	public void step(Runnable step) {
		this.terms.steps().execute(step);
	}

	/** The place's own name is taken by a place, so the seat will be in its line. */
	public void joinLine() {
		this.plain = false;
	}

	/** Its create is being sent. */
	public void entering() {
		this.createdAt = this.session.clock().getAsLong();
	}

	/** Its node was not there when it was looked for; another may be at its path. */
	public void doubt() {
		this.doubted = true;
	}

	public void created(String givenPath) {
		this.path = givenPath;
		this.queueing.begin(this.plain);
	}

	/**
	 * Its node was created together with its place, so it is the first in line.
	 * @param givenPath the node's path
	 */
	public void createdWithPlace(String givenPath) {
		this.path = givenPath;
		this.madePlace = true;
		this.queueing.begin(true);
	}

	/** Its node was found, and it is known that it was created with its place. */
	public void foundWithPlace() {
		this.madePlace = true;
	}

	/**
	 * Notes whether its place is there, unless it is to have none.
	 * @param there what an answer said
	 */
	public void placeSeen(boolean there) {
		if (!this.plain) {
			this.terms.placeSeen(there);
		}
	}

	@Override
	public void saw(Line line) {
		this.accompanied = this.accompanied || line.names().size() > 1;
	}

	public void stamped(long czxid, long createdTime) {
		this.grant.stamped(czxid);
		this.ctime = createdTime;
	}

	/**
	 * Tells for how long a node has been there, by the servers' clock and our monotonic
	 * one.
	 * @param other the node's stat
	 * @return its age now
	 */
	public Duration ageOf(Stat other) {
		long waited = this.session.clock().getAsLong() - this.createdAt;
		return Duration.ofMillis(Math.max(this.ctime - other.getCtime(), 0)).plusNanos(waited);
	}

	/**
	 * Tells whether the node has been there for long.
	 * @param then nanoseconds of the clock
	 * @return true if it was created before then
	 */
	public boolean isOlderThan(long then) {
		return this.path != null && this.createdAt - then < 0;
	}

	/**
	 * Describes whoever is in the way of this seat. An answer has shown that somebody is;
	 * who it is takes another answer, which may never come.
	 * @param holds whether it holds the key
	 * @return an obstacle without a name
	 */
	public Obstacle somebody(boolean holds) {
		return new Obstacle(this.key, "another contender", holds, null);
	}

	public boolean isOurs(byte @Nullable [] found, Stat stat) {
		return stat.getEphemeralOwner() == this.session.id() && this.id.equals(Identity.idIn(found));
	}

	/**
	 * Looks whether our create was handled although no answer came; to be called after a
	 * sync.
	 * @param then gets OK with the node's path and stat, NONODE, or a code that says
	 * nothing
	 */
	public void find(SessionRequests.Created then) {
		if (this.plain) {
			this.session.requests().read(this.place, null, (code, found, stat) -> this.terms.steps().execute(() -> {
				boolean ours = code == Code.OK && stat != null && isOurs(found, stat);
				then.answered((code == Code.OK && !ours) ? Code.NONODE : code, this.place, ours ? stat : null);
			}));
			return;
		}
		this.session.requests().children(this.place, null, (code, names, ignored) -> this.terms.steps().execute(() -> {
			String name = (names != null) ? Line.of(names).findById(this.id).orElse(null) : null;
			if (name == null) {
				then.answered((code == Code.OK) ? Code.NONODE : code, null, null);
				return;
			}
			String found = this.place + "/" + name;
			this.session.requests()
				.exists(found, (seen, stat) -> this.terms.steps().execute(() -> then.answered(seen, found, stat)));
		}));
	}

	/** Deletes the node, if there is one, and forgets the seat. */
	public void remove() {
		if (this.removing || isGone()) {
			return;
		}
		retire();
		String present = this.path;
		if (present == null) {
			gone();
		}
		else if (this.plain && mayHaveBeenReplaced()) {
			verifyThenDelete(present);
		}
		else if (this.madePlace && !this.accompanied && !this.terms.recentPlaces().isUsedOften(this.key)) {
			deleteWithPlace(present);
		}
		else {
			delete(present);
		}
	}

	/** Nothing is wanted of it any more; somebody else sees to its node. */
	public void retire() {
		this.removing = true;
		this.queueing.stop();
		this.grant.end();
	}

	/** The request of the seat that follows has shown that the node is gone. */
	public void replaced() {
		if (!isGone()) {
			gone();
		}
	}

	/** The request of the seat that follows will not delete the node. */
	public void removeAfterAll() {
		if (!isGone() && this.path != null) {
			delete(this.path);
		}
	}

	// Only a watch tells that somebody has deleted our node and another one stands at its
	// path; before it is set a moment is taken on trust.
	private boolean mayHaveBeenReplaced() {
		return this.doubted || this.grant.isNodeDeleted()
				|| (!this.grant.isWatched() && isOlderThan(this.session.clock().getAsLong() - TRUSTED_NANOS));
	}

	private void delete(String present) {
		this.session.requests().delete(present, (code) -> this.terms.steps().execute(() -> deleted(code, present)));
	}

	// Who enters next need not wait for the answer to know that there will be no place.
	private void deleteWithPlace(String present) {
		placeSeen(false);
		List<Op> both = List.of(Op.delete(present, -1), Op.delete(this.place, 0));
		this.session.requests()
			.multi(both, (code, results) -> this.terms.steps()
				.execute(() -> deletedWithPlace(code, SessionRequests.failedIndex(results), present)));
	}

	private void deletedWithPlace(Code code, int failed, String present) {
		if (isGone()) {
			return;
		}
		if (code == Code.OK || (code == Code.NONODE && failed == 0)) {
			gone();
		}
		else if (Answer.of(code) == Answer.LOST) {
			this.session.afterSync(() -> this.terms.steps().execute(() -> deleteWithPlace(present)));
		}
		else if (Answer.of(code) == Answer.ENDED) {
			log.debug("{} ended with {} in it", this.session, present);
		}
		else {
			placeSeen(true);
			delete(present);
		}
	}

	private void deleted(Code code, String present) {
		if (isGone()) {
			return;
		}
		switch (Answer.of(code)) {
			case DEFINITE -> gone();
			case LOST -> this.session.afterSync(() -> this.terms.steps().execute(() -> deleteAgain(present)));
			case REFUSED -> {
				if (!this.refused) {
					this.refused = true;
					log.warn("The server refuses to delete the lock node {} ({}); that is tried again until {} ends",
							present, code, this.session);
				}
				this.session.timer().run(REFUSED_PAUSE, () -> this.terms.steps().execute(() -> deleteAgain(present)));
			}
			case ENDED -> log.debug("{} ended with {} in it", this.session, present);
		}
	}

	private void deleteAgain(String present) {
		if (isGone()) {
			return;
		}
		if (this.plain) {
			verifyThenDelete(present);
		}
		else {
			delete(present);
		}
	}

	private void verifyThenDelete(String present) {
		find((code, found, stat) -> {
			if (code == Code.OK) {
				delete(present);
			}
			else {
				deleted(code, present);
			}
		});
	}

	private void gone() {
		this.grant.unwatch();
		this.session.unhold(this.grant);
		this.session.untrack(this);
		this.gone.complete(null);
		this.contest.seatGone();
	}

	@Override
	public void sessionEnded() {
		this.grant.sessionEnded();
		this.terms.steps().execute(() -> {
			this.queueing.stop();
			this.gone.complete(null);
			this.contest.sessionEnded(this.session);
		});
	}

	/** The contender whose node it is. */
	interface Host extends Queueing.Host {

		/** A seat is gone: perhaps it was the last one. */
		void seatGone();

		/**
		 * A session has ended, and with it a seat.
		 * @param ended the session
		 */
		void sessionEnded(LockSession ended);

	}

}
