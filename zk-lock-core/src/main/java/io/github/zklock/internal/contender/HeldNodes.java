package io.github.zklock.internal.contender;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Remembers which nodes will not give way to who tries once.
 */
final class HeldNodes {

	/*-
	 * A node of which nothing is known may be retained, if its data says so. Of others it is known
	 * that they are
	 *
	 *   FIXED   their client retains nothing; what a node says never changes, nor is its
	 *           name used again
	 *   HELD    lately: it did not give way
	 *
	 * I1: it only saves requests, and spares a holder who waits behind it: what is not known any
	 *     more is looked at again.
	 * I2: at most LatestUsed.CAPACITY nodes are known; the one that was asked for least lately is forgotten
	 *     first.
	 * All state is confined to the serial executor of its keys.
	 */

	static final long LATELY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LongSupplier clock;

	private final Map<String, Held> nodes = new LatestUsed<>();

	/**
	 * Creates an empty memory.
	 * @param clock the monotonic clock
	 */
	HeldNodes(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * Notes that a node does not say that it may be retained.
	 * @param path the node's path
	 */
	void fixed(String path) {
		this.nodes.put(path, new Held(true, 0));
	}

	/**
	 * Notes that a node did not give way.
	 * @param path the node's path
	 */
	void held(String path) {
		this.nodes.put(path, new Held(false, this.clock.getAsLong()));
	}

	/**
	 * Returns whether a node is known not to give way.
	 * @param path the node's path
	 * @return false if nothing is known
	 */
	boolean isHeld(String path) {
		@Nullable Held known = this.nodes.get(path);
		return known != null && (known.fixed || this.clock.getAsLong() - known.at < LATELY_NANOS);
	}

	int count() {
		return this.nodes.size();
	}

	/**
	 * What is known of a node.
	 *
	 * @param fixed whether that is so forever
	 * @param at otherwise since when, in nanoseconds of the clock
	 */
	private record Held(boolean fixed, long at) {
	}

}
