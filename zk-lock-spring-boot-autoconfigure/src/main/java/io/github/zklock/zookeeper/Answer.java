package io.github.zklock.zookeeper;

import org.apache.zookeeper.KeeperException.Code;

/**
 * What kind of answer a result code of ZooKeeper's is.
 */
enum Answer {

	/** The server handled the request; the code says with which result. */
	DEFINITE,

	/** Nobody knows whether the request was handled, or it may be repeated later. */
	LOST,

	/** The session is over. */
	ENDED,

	/** The server will never handle this request. */
	REFUSED;

	/**
	 * Tells whether a server has answered, but neither handled nor refused the request:
	 * asking again at once would be answered alike.
	 * @param code the code
	 * @return whether to wait a moment before the next request
	 */
	static boolean isEvasive(Code code) {
		return switch (code) {
			case THROTTLEDOP, SYSTEMERROR, RUNTIMEINCONSISTENCY, OPERATIONTIMEOUT, REQUESTTIMEOUT -> true;
			default -> false;
		};
	}

	static Answer of(Code code) {
		return switch (code) {
			case OK, NODEEXISTS, NONODE, NOTEMPTY, NOCHILDRENFOREPHEMERALS, BADVERSION, NOWATCHER -> DEFINITE;
			case CONNECTIONLOSS, OPERATIONTIMEOUT, REQUESTTIMEOUT, SESSIONMOVED, NOTREADONLY, THROTTLEDOP,
					RUNTIMEINCONSISTENCY, SYSTEMERROR ->
				LOST;
			case SESSIONEXPIRED -> ENDED;
			default -> REFUSED;
		};
	}

}
