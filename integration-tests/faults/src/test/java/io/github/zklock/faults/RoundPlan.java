package io.github.zklock.faults;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * What a contender asks for in each round, at random.
 *
 * @param keys the keys to choose from
 * @param modes the modes to choose from
 * @param strategies the strategies to choose from
 * @param workers how many threads there are for each lock client
 * @param timeout how long a round waits for the lock; half of the rounds draw a shorter
 * one if {@code restless}
 * @param hold how long a lock is held at most; drawn for each round
 * @param restless whether rounds also draw other time-outs, cancel, are interrupted, and
 * one in forty holds for long
 */
record RoundPlan(List<String> keys, List<LockMode> modes, List<String> strategies, int workers, Duration timeout,
		Duration hold, boolean restless) {

	/** Holds a lock until it is lost, or the contender is stopped. */
	static final Duration UNTIL_LOST = Duration.ofDays(1);

	/** The same, or until somebody asks for it. */
	static final Duration UNTIL_ASKED = Duration.ofDays(2);

	static RoundPlan of(String strategy, LockMode... modes) {
		return new RoundPlan(List.of("k"), List.of(modes), List.of(strategy), 1, Duration.ofSeconds(30),
				Duration.ofMillis(2), false);
	}

	RoundPlan keys(String... others) {
		return new RoundPlan(List.of(others), this.modes, this.strategies, this.workers, this.timeout, this.hold,
				this.restless);
	}

	RoundPlan strategies(String... others) {
		return new RoundPlan(this.keys, this.modes, List.of(others), this.workers, this.timeout, this.hold,
				this.restless);
	}

	RoundPlan workers(int number) {
		return new RoundPlan(this.keys, this.modes, this.strategies, number, this.timeout, this.hold, this.restless);
	}

	RoundPlan timeout(Duration other) {
		return new RoundPlan(this.keys, this.modes, this.strategies, this.workers, other, this.hold, this.restless);
	}

	RoundPlan hold(Duration other) {
		return new RoundPlan(this.keys, this.modes, this.strategies, this.workers, this.timeout, other, this.restless);
	}

	RoundPlan asRestless() {
		return new RoundPlan(this.keys, this.modes, this.strategies, this.workers, this.timeout, this.hold, true);
	}

	LockRequest request(Random random) {
		Duration limit = this.timeout;
		if (this.restless && random.nextBoolean()) {
			limit = Duration.ofMillis((long) random.nextInt(20) * random.nextInt(20));
		}
		return request(any(this.keys, random), any(this.modes, random)).strategy(any(this.strategies, random))
			.timeout(limit);
	}

	/**
	 * Asks for a key.
	 * @param key the key
	 * @param mode the mode, unless permits of the key are asked for
	 * @return the request
	 */
	static LockRequest request(String key, LockMode mode) {
		int permits = HoldRecord.permits(key);
		return (permits > 0) ? LockRequest.permits(key, permits) : LockRequest.exclusive(key).mode(mode);
	}

	boolean isUntilAsked() {
		return this.hold.equals(UNTIL_ASKED);
	}

	long holdNanos(Random random) {
		if (this.hold.equals(UNTIL_LOST) || isUntilAsked()) {
			return Long.MAX_VALUE;
		}
		int stretch = (this.restless && random.nextInt(40) == 0) ? 150 : 1;
		return (long) (random.nextDouble() * stretch * this.hold.toNanos());
	}

	private static <T> T any(List<T> choices, Random random) {
		return choices.get(random.nextInt(choices.size()));
	}

	/**
	 * Says the plan so that {@link #parse} understands it.
	 * @return one word
	 */
	String format() {
		return String.join(";", String.join(",", this.keys),
				String.join(",", this.modes.stream().map(Enum::name).toList()), String.join(",", this.strategies),
				Integer.toString(this.workers), this.timeout.toString(), this.hold.toString(),
				Boolean.toString(this.restless));
	}

	static RoundPlan parse(String text) {
		String[] parts = text.split(";", -1);
		return new RoundPlan(List.of(parts[0].split(",", -1)),
				Arrays.stream(parts[1].split(",", -1)).map(LockMode::valueOf).toList(),
				List.of(parts[2].split(",", -1)), Integer.parseInt(parts[3]), Duration.parse(parts[4]),
				Duration.parse(parts[5]), Boolean.parseBoolean(parts[6]));
	}

}
