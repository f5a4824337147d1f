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

	private static final int COUNT = 64;

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
			.limit(COUNT)
			.toList();
	}

	/**
	 * Returns the shard of a key.
	 * @param key the key
	 * @return its shard, which is that of other keys too
	 */
	public KeyShard of(String key) {
		return this.shards.get(Math.floorMod(key.hashCode(), COUNT));
	}

}
