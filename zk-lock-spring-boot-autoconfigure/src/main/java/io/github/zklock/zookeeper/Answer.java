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
