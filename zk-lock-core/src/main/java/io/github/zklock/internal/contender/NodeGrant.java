package io.github.zklock.internal.contender;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.session.LeaseHolder;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.Grant;

/**
 * The grant of a lock node.
 */
public final class NodeGrant implements Grant, LeaseHolder {

	/*-
	 * NOT YET -> HELD -> LOST; each -> RELEASED. Any thread asks, releases, or finds the lease
	 * over; the watches run in the contender's serial executor.
	 *
	 * I1: it ends once, by one CAS on `ending`: it is lost or released, whatever comes first.
	 *     The step that makes it lost notifies the listener.
	 * I2: `isValid` makes it lost when it finds the lease over, so that a grant that was seen
	 *     invalid stays so, although a late answer may renew the lease.
	 */

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private final Runnable removal;

	private final CompletableFuture<Void> gone;

	private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();

	private final NodeDowngrade downgrade;

	private final OwnNodeWatch own;

	private @Nullable ContentionWatch contention;

	/**
	 * Creates a grant that is not yet one.
	 * @param terms what the contender works with
	 * @param reports what it reports to
	 * @param session where the node is
	 * @param node the node
	 * @param removal removes the node, as a step of the contender
	 * @param gone completes when the node is gone
	 */
	NodeGrant(ContenderTerms terms, ContenderReports reports, LockSession session, NodeFacts node, Runnable removal,
			CompletableFuture<Void> gone) {
		this.terms = terms;
		this.reports = reports;
		this.session = session;
		this.node = node;
		this.removal = removal;
		this.gone = gone;
		this.downgrade = new NodeDowngrade(terms, session, node);
		this.own = new OwnNodeWatch(node, session, terms.steps(), () -> lose(LostReason.NODE_DELETED));
	}

	public boolean isStamped() {
		return this.node.czxid() != 0;
	}

	public boolean isNodeDeleted() {
		Ending known = this.ending.get();
		return known != null && known.lostBecause() == LostReason.NODE_DELETED;
	}

	@Override
	public String id() {
		return this.node.id();
	}

	@Override
	public String key() {
		return this.node.key();
	}

	@Override
	public LockMode mode() {
		return this.node.mode();
	}

	@Override
	public int permits() {
		return this.node.permits();
	}

	@Override
	public long firstToken() {
		return this.node.czxid() * TOKENS;
	}

	@Override
	public boolean isValid() {
		if (this.ending.get() != null) {
			return false;
		}
		if (this.session.isConfirmed()) {
			return true;
		}
		OwnedSteps.requireStack();
		lose(this.session.isOver() ? LostReason.SESSION_ENDED : LostReason.LEASE_EXPIRED);
		return false;
	}

	public void sessionEnded() {
		lose(LostReason.SESSION_ENDED);
		this.terms.steps().execute(this.downgrade::over);
	}

	/**
	 * Ends it, if it has not ended, and reports that if it was granted.
	 * @param reason why
	 */
	void lose(LostReason reason) {
		if (this.ending.compareAndSet(null, new Ending(reason))) {
			this.reports.lost(this, reason);
		}
	}

	/**
	 * Looks, without keeping anybody waiting, whether its node is still there: a grant
	 * that came with the end of the one before it has not shown that, and an operator may
	 * have deleted the node while it waited. Another's may be at the path of one without
	 * sequence number.
	 */
	public void checkNode() {
		String path = this.node.path();
		if (path != null) {
			long created = this.node.czxid();
			this.session.requests().exists(path, (code, stat) -> {
				if (code == Code.NONODE || (stat != null && stat.getCzxid() != created)) {
					lose(LostReason.NODE_DELETED);
				}
			});
		}
	}

	public LockSession session() {
		return this.session;
	}

	/**
	 * Returns what is before the path on the servers.
	 * @return the path at the end of the connect string; empty if there is none
	 */
	public String chroot() {
		return this.terms.chroot();
	}

	public @Nullable String path() {
		return this.node.path();
	}

	/**
	 * Brings steps after whose requests every later delete of the node is sent.
	 * @param failed gets what such a step throws; the grant is not concerned
	 * @return brings steps
	 */
	public OwnedSteps steps(Consumer<Throwable> failed) {
		return this.terms.steps().orElse(failed);
	}

	/**
	 * Returns whether a delete was sent, or the node is gone; to be asked in its steps.
	 * @return whether nothing can be written under it any more
	 */
	public boolean isLeaving() {
		return this.node.isLeaving();
	}

	@Override
	public void watchItself(long heldSince) {
		this.terms.steps().execute(() -> {
			if (this.ending.get() == null) {
				this.own.begin(heldSince);
			}
		});
	}

	// Its own watch would see the WRITE node end. The next beat of the lease sets another
	// one.
	@Override
	public CompletionStage<Boolean> downgrade() {
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		this.terms.steps().execute(() -> {
			if (this.ending.get() != null) {
				done.complete(false);
				return;
			}
			this.own.leave();
			this.downgrade.begin().thenAccept(done::complete);
		});
		return done;
	}

	/**
	 * Returns when it is known under which name the node is.
	 * @return completes with nothing of interest; null if that is known. As a part of a
	 * step
	 */
	public @Nullable CompletionStage<Boolean> renaming() {
		return this.downgrade.underWay();
	}

	// Our own session deletes it, so no delete is sent after that of another, when the
	// next holder's node may be at its path. A name in the queue is used once. After a
	// downgrade, whose answer may be under way, the czxid of the node is another one.
	@Override
	public @Nullable CompletionStage<Void> takeAway(String path, long token) {
		boolean itself = path.equals(this.node.path()) ? !path.equals(this.node.keyNode()) || token == firstToken()
				: this.downgrade.makes(path);
		if (!itself) {
			return null;
		}
		lose(LostReason.NODE_DELETED);
		return release();
	}

	@Override
	public boolean isHeldBy(String path) {
		return this.ending.get() == null && path.equals(this.node.path());
	}

	@Override
	public CompletionStage<Void> whenContended() {
		CompletableFuture<Void> contended = new CompletableFuture<>();
		watchOthers(() -> contended.complete(null), (watch) -> watch.whenContended(contended));
		return contended;
	}

	@Override
	public CompletionStage<Boolean> isContended() {
		CompletableFuture<Boolean> seen = new CompletableFuture<>();
		watchOthers(() -> seen.complete(true), (watch) -> watch.whetherContended(seen));
		return seen;
	}

	@Override
	public boolean isHeldByMost() {
		return this.node.neighbours().isHeldByMost();
	}

	// Without a queue nobody sees whether there is anybody to change to
	@Override
	public long changeNanos() {
		return this.node.isUnnumbered() ? Long.MAX_VALUE : this.session.requests().writeCost().nanos();
	}

	@Override
	public long leastChangeNanos() {
		return Math.min(changeNanos(), this.node.neighbours().writeNanos());
	}

	private void watchOthers(Runnable known, Consumer<ContentionWatch> ask) {
		this.terms.steps().execute(() -> {
			if (this.node.isLeaving()) {
				return;
			}
			if (this.node.isUnnumbered() || this.node.neighbours().isContended()) {
				known.run();
				return;
			}
			if (this.contention == null) {
				this.contention = new ContentionWatch(this.node, this.session, this.terms.steps(),
						this.terms.clientCosts(), () -> lose(LostReason.NODE_DELETED));
			}
			ask.accept(this.contention);
		});
	}

	@Override
	public CompletionStage<Void> release() {
		this.ending.compareAndSet(null, Ending.RELEASED);
		this.terms.steps().execute(this.removal);
		return this.gone;
	}

	/** The lock node is being removed: the queue behind it is of no interest any more. */
	public void end() {
		this.ending.compareAndSet(null, Ending.RELEASED);
		this.downgrade.over();
		if (this.contention != null) {
			this.contention.stop();
		}
	}

	/** The node is gone: its own watch has fired, or is of no use. */
	public void unwatch() {
		this.own.leave();
	}

	/**
	 * How it ended.
	 *
	 * @param lostBecause why it was lost; null if it was released
	 */
	private record Ending(@Nullable LostReason lostBecause) {

		static final Ending RELEASED = new Ending(null);

	}

}
