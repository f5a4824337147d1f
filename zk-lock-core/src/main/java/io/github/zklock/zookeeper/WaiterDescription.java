package io.github.zklock.zookeeper;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.NodeContent;

/**
 * Describes waiters of a key for its holder.
 *
 * @param identity who the holder is
 * @param key the key
 */
record WaiterDescription(ClientIdentity identity, String key) {

	/**
	 * Describes a waiter.
	 * @param mode how it wants the key
	 * @param content its node's data
	 * @return the description; null if it is of the holder's client
	 */
	@Nullable WaitingCaller of(LockMode mode, byte @Nullable [] content) {
		if (this.identity.isOurs(NodeContent.idIn(content))) {
			return null;
		}
		ContenderOrigin from = ContenderOrigin.parse(NodeContent.text(content));
		return ContentionSource.other(this.key, mode, from, this.identity.wallClock().instant());
	}

}
