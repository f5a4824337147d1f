package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;

/**
 * What a contender reports to its listener, in our words and no longer in ZooKeeper's.
 */
final class ContenderReports {

	/*-
	 * OPEN -> GRANTED -> CLOSED; OPEN -> CLOSED. What was reported last is final: that others
	 * hold the lock (`tryOnce`), or that it can never be had; then the contender ends. Confined to
	 * the contender's serial executor, but for `lost`, which any thread may call.
	 *
	 * I1 of `ZooKeeperContender` is kept here: the listener is not called when this is closed; and
	 * `lost` for what was granted only, until then.
	 */

	private enum State {

		OPEN, GRANTED, CLOSED

	}

	private final ContenderTerms terms;

	private final ContenderListener listener;

	private final Host contender;

	private State state = State.OPEN;

	ContenderReports(ContenderTerms terms, ContenderListener listener, Host contender) {
		this.terms = terms;
		this.listener = listener;
		this.contender = contender;
	}

	/** Nothing more is wanted. */
	void close() {
		this.state = State.CLOSED;
	}

	/**
	 * Returns whether nothing more is wanted: what is there is to be removed.
	 * @return whether this was closed
	 */
	boolean areClosed() {
		return this.state == State.CLOSED;
	}

	void granted(List<Grant> grants) {
		this.state = State.GRANTED;
		this.listener.granted(grants);
	}

	/**
	 * A grant was lost. Called on any thread.
	 * @param grant the grant
	 * @param reason why
	 */
	void lost(Grant grant, LostReason reason) {
		this.terms.steps().execute(() -> {
			if (this.state == State.GRANTED) {
				this.listener.lost(grant, reason);
			}
		});
	}

	/**
	 * Another contender is in the way.
	 * @param blocker who
	 */
	void blocked(Blocker blocker) {
		if (areClosed()) {
			return;
		}
		if (this.terms.isTryOnce()) {
			close();
			this.listener.busy(blocker);
			this.contender.leaveNow();
		}
		else {
			this.listener.blocked(blocker);
		}
	}

	/**
	 * Another contender is in the way of a node that waits for it, even if it was to try
	 * once only.
	 * @param blocker who
	 */
	void waits(Blocker blocker) {
		if (!this.terms.isTryOnce()) {
			blocked(blocker);
		}
		else if (!areClosed()) {
			this.listener.awaits(blocker);
		}
	}

	/**
	 * There was no answer, or one that says nothing.
	 * @param code what came instead
	 * @param path what was asked about
	 */
	void disturbed(Code code, String path) {
		if (!areClosed()) {
			this.listener.disturbed(ResultKind.disturbance(code, path));
		}
	}

	/** Nobody is in the way, and the session's lease is not long enough. */
	void awaitsLease() {
		if (!areClosed()) {
			this.listener.disturbed(new LockUnavailableException(
					"The lease of the ZooKeeper session is over, or about to end, and was not renewed yet"));
		}
	}

	/**
	 * The servers will never do what was asked.
	 * @param code why
	 * @param path what was asked about
	 */
	void refused(Code code, String path) {
		fail(code, path);
		this.contender.over();
	}

	/**
	 * Ends the call; what may be in ZooKeeper is still to be removed.
	 * @param code why
	 * @param path where
	 */
	void fail(Code code, String path) {
		if (!areClosed()) {
			close();
			KeeperException cause = KeeperException.create(code, path);
			String what = (code == Code.AUTHFAILED) ? "the credentials of this client, which asked for " : "";
			this.listener.failed(new LockUnavailableException("ZooKeeper refused %s%s at %s: %s%s".formatted(what,
					this.terms.attempt().named(), path, cause.getMessage(), hint(code)), cause));
		}
	}

	private String hint(Code code) {
		String chroot = this.terms.chroot();
		return (code != Code.NONODE || chroot.isEmpty()) ? ""
				: "; the path '%s' at the end of the connect string does not exist: create it, or remove it from there"
					.formatted(chroot);
	}

	/**
	 * No lock can be acquired in the session that there is.
	 * @param reason why, as a sentence without its full stop
	 */
	void unusable(String reason) {
		if (!areClosed()) {
			close();
			this.listener.failed(new LockUnavailableException(
					"No session for %s: %s".formatted(this.terms.attempt().named(), reason), null));
		}
		this.contender.over();
	}

	/**
	 * A step of the contender has failed: ends the call, if it has not ended yet.
	 * @param cause what the step threw
	 */
	void engineFailed(Throwable cause) {
		State before = this.state;
		close();
		if (before == State.OPEN) {
			this.listener.failed(LockException.engineFailed(this.terms.attempt().keys(), cause));
		}
	}

	/**
	 * Nothing was sent: an ACL provider of the user's, for one, has failed.
	 * @param cause what it threw
	 */
	void unsendable(RuntimeException cause) {
		if (!areClosed()) {
			close();
			this.listener.failed(new LockUnavailableException(
					"The request for %s could not be made: %s".formatted(this.terms.attempt().named(), cause), cause));
		}
		this.contender.over();
	}

	/** The contender that reports. */
	interface Host {

		/** Its listener was notified that it has left. */
		void leaveNow();

		/** Nothing more is wanted: removes what is there. */
		void over();

	}

}
