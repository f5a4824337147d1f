package io.github.zklock.internal.contender;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which keys share what.
 */
class KeyShardsTests {

	private static final int SHARDS = 64;

	// A map of so many buckets has room for what a shard remembers
	private static final int BUCKETS = 128;

	private final KeyShards shards = new KeyShards(() -> 0, new StepFailures());

	@ParameterizedTest
	@ValueSource(strings = { "", "order-", "orders/", "account-4711-" })
	void keysThatAreNumberedAreSpreadOverShardsAndTheBucketsOfTheirMaps(String beginning) {
		Map<KeyShard, Deque<String>> latest = new HashMap<>();
		Map<KeyShard, Integer> counts = new HashMap<>();
		int keys = 64 * SHARDS * 8;
		for (int i = 0; i < keys; i++) {
			KeyShard shard = this.shards.of(beginning + i);
			counts.merge(shard, 1, Integer::sum);
			Deque<String> known = latest.computeIfAbsent(shard, (same) -> new ArrayDeque<>());
			known.add(beginning + i);
			if (known.size() > LatestUsed.CAPACITY) {
				known.remove();
			}
		}
		assertThat(counts).hasSize(SHARDS);
		assertThat(counts.values()).allMatch((count) -> count > keys / SHARDS / 2 && count < keys / SHARDS * 2);
		double beside = latest.values()
			.stream()
			.flatMap(KeyShardsTests::besideEach)
			.mapToInt(Integer::intValue)
			.average()
			.orElseThrow();
		assertThat(beside).as("keys in the bucket of a key").isLessThan(4);
	}

	// How many keys of a shard are in the bucket of each, as HashMap has them
	private static Stream<Integer> besideEach(Deque<String> keys) {
		Map<Integer, Integer> buckets = keys.stream()
			.collect(Collectors.toMap(KeyShardsTests::bucket, (key) -> 1, Integer::sum));
		return keys.stream().map((key) -> buckets.get(bucket(key)));
	}

	private static int bucket(String key) {
		int hash = key.hashCode();
		return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
	}

}
