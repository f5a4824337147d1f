package io.github.zklock.internal.session;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.LockUnavailableException;

/**
 * What a result code of ZooKeeper's, the {@code rc}, means for a request.
 */
public enum ResultKind {

	/** The server handled the request; the code says with which result. */
	DEFINITE,

	/** Nobody knows whether the request was handled, or it may be repeated later. */
	LOST,

	/** The session is over. */
	ENDED,

	/** The server will never handle this request. */
	REFUSED;

	/**
	 * Reads a result code.
	 * @param rc what came from ZooKeeper
	 * @return the code; of one that only newer servers have, SYSTEMERROR
	 */
	public static Code code(int rc) {
		try {
			return Code.get(rc);
		}
		catch (IllegalArgumentException ex) {
			return Code.SYSTEMERROR;
		}
	}

	/**
	 * Returns whether a server has answered, but neither handled nor refused the request:
	 * asking again at once would be answered alike.
	 * @param code the code
	 * @return whether to wait a moment before the next request
	 */
	public static boolean isEvasive(Code code) {
		return switch (code) {
			case THROTTLEDOP, SYSTEMERROR, RUNTIMEINCONSISTENCY, OPERATIONTIMEOUT, REQUESTTIMEOUT -> true;
			default -> false;
		};
	}

	public static ResultKind of(Code code) {
		return switch (code) {
			case OK, NODEEXISTS, NONODE, NOTEMPTY, NOCHILDRENFOREPHEMERALS, BADVERSION, NOWATCHER -> DEFINITE;
			case CONNECTIONLOSS, OPERATIONTIMEOUT, REQUESTTIMEOUT, SESSIONMOVED, NOTREADONLY, THROTTLEDOP,
					RUNTIMEINCONSISTENCY, SYSTEMERROR ->
				LOST;
			// The handle is dead then, and the session with it
			case SESSIONEXPIRED, AUTHFAILED -> ENDED;
			default -> REFUSED;
		};
	}

	/**
	 * Says what an unusable answer means for a caller.
	 * @param code the code
	 * @param path what was asked about
	 * @return the exception of ZooKeeper; where callers can be given more, ours with that
	 * one as its cause
	 */
	public static Exception disturbance(Code code, String path) {
		KeeperException cause = KeeperException.create(code, path);
		return switch (code) {
			case AUTHFAILED -> new LockUnavailableException("ZooKeeper refused the credentials of this client", cause);
			case NOTREADONLY -> new LockUnavailableException(
					"the ZooKeeper server is read-only, because it has lost its quorum", cause);
			default -> cause;
		};
	}

}
