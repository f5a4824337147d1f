package io.github.zklock.internal.contender;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;

/**
 * Assigns each key of a client to one of a fixed number of shards.
 */
public final class KeyShards {

	/*-
	 * The maps of a shard find their keys by the low bits of a hash. If those chose the shard, too, its keys
	 * would share a few buckets; so the high bits of a product do, in which keys with the same low bits differ.
	 * Source: D. E. Knuth, The Art of Computer Programming 3, 6.4, multiplicative hashing.
	 */

	private static final int COUNT_BITS = 6;

	// 2^32 divided by the golden ratio
	private static final int MULTIPLIER = 0x9E3779B9;

	private final List<KeyShard> shards;

	/**
	 * Creates the shards.
	 * @param clock the monotonic clock
	 * @param failures is notified of each step that fails
	 */
	public KeyShards(LongSupplier clock, StepFailures failures) {
		this.shards = Stream
			.generate(() -> new KeyShard(new SerialExecutor(failures), new KeyNodeCache(clock), new HeldNodes(clock),
					new ClientCosts(clock)))
			.limit(1 << COUNT_BITS)
			.toList();
	}

	/**
	 * Returns the shard of a key.
	 * @param key the key
	 * @return its shard, which is that of other keys too
	 */
	public KeyShard of(String key) {
		return this.shards.get((key.hashCode() * MULTIPLIER) >>> (Integer.SIZE - COUNT_BITS));
	}

}
