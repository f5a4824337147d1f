package io.github.zklock.inspect;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;

/**
 * The contenders of a key as a server saw them at one moment.
 *
 * @param key the key
 * @param contenders who holds or waits, in the order in which they will be served; empty
 * if nobody does. Of a queue in ZooKeeper the first 1,000
 * @since 0.1.0
 */
public record LockQueue(String key, List<Contender> contenders) {

	/**
	 * Creates a queue.
	 */
	public LockQueue {
		contenders = List.copyOf(contenders);
	}

	/**
	 * One contender in a queue.
	 *
	 * @param path its node
	 * @param mode its mode
	 * @param holds true if it holds the key; false if it waits, or if the holders changed
	 * too fast to be seen. A request of several keys that is first here, and waits for
	 * another of them, keeps all others out: in ZooKeeper it is shown as the holder, as
	 * its node does not say more; in memory as one who waits
	 * @param ours true if it belongs to this client
	 * @param token the first fencing token of the node; that of the handle is larger
	 * after a handoff, and smaller if the node is the READ that a downgrade has made; 0
	 * if the node may not be read
	 * @param description the node's data as text: JSON if a lock client of this kind made
	 * it; null if it could not be read, empty if it is longer than 8,192 bytes
	 * @param permits how many may hold the key together with it; 0 if it wants the lock
	 */
	public record Contender(String path, LockMode mode, boolean holds, boolean ours, long token,
			@Nullable String description, int permits) {

		/**
		 * Creates a contender that wants the lock.
		 * @param path its node
		 * @param mode its mode
		 * @param holds true if it holds the key, false if it waits
		 * @param ours true if it belongs to this client
		 * @param token the first fencing token of the node
		 * @param description the node's data as text, or null
		 */
		public Contender(String path, LockMode mode, boolean holds, boolean ours, long token,
				@Nullable String description) {
			this(path, mode, holds, ours, token, description, 0);
		}

		/**
		 * Returns where the contender comes from.
		 * @return what its node says, or null if no lock client of this kind made it
		 */
		public @Nullable ContenderOrigin origin() {
			return ContenderOrigin.parse(this.description);
		}

	}

}
