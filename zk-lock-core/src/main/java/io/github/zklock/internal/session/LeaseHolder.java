package io.github.zklock.internal.session;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Something that is held as long as the lease of its session is valid.
 */
public interface LeaseHolder {

	/**
	 * Returns what distinguishes it from all others of this client.
	 * @return the id that its node has under each of its names
	 */
	String id();

	/**
	 * Returns whether it is held; once it is not it never is again, and reports that.
	 * @return whether the lease is valid and has been since the grant
	 */
	boolean isValid();

	/**
	 * Returns whether it is held by a node, as far as was noticed.
	 * @param path the node's path
	 * @return false if it is another one, or was lost or released
	 */
	boolean isHeldBy(String path);

	/**
	 * Watches its own node, which an operator may delete, if it is held for long.
	 * @param heldSince nanoseconds of the clock; what is younger is not watched
	 */
	void watchItself(long heldSince);

	/**
	 * Loses what is held and deletes its node, because an operator wants that.
	 * @param path the path of the node that is to go
	 * @param token the node's first fencing token: others may have had the same path
	 * @return completes when the node is gone; null if it is another one
	 */
	@Nullable CompletionStage<Void> takeAway(String path, long token);

}
