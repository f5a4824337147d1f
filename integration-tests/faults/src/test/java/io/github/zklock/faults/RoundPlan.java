package io.github.zklock.faults;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * What a contender asks for in each round, at random. Unless it holds for ever it asks
 * for two of the keys at once in one round of six, and downgrades one WRITE of four.
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
		String key = any(this.keys, random);
		LockRequest request = request(key, any(this.modes, random));
		if (!isEndless() && this.keys.size() > 1 && random.nextInt(6) == 0) {
			int other = this.keys.indexOf(key) + 1 + random.nextInt(this.keys.size() - 1);
			request = request.and(request(this.keys.get(other % this.keys.size()), any(this.modes, random)));
		}
		return request.strategy(any(this.strategies, random)).timeout(limit);
	}

	/**
	 * Draws whether a lock that was granted is downgraded after a while.
	 * @param handle the lock
	 * @param random the worker's
	 * @return whether it is, never if a key is not READ or WRITE
	 */
	boolean downgrades(LockHandle handle, Random random) {
		List<LockMode> granted = handle.keys().stream().map(handle::mode).toList();
		return granted.contains(LockMode.WRITE) && !granted.contains(LockMode.EXCLUSIVE) && !isEndless()
				&& random.nextInt(4) == 0;
	}

	private boolean isEndless() {
		return this.hold.equals(UNTIL_LOST) || isUntilAsked();
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
		if (isEndless()) {
			return Long.MAX_VALUE;
		}
		int stretch = (this.restless && random.nextInt(40) == 0) ? 150 : 1;
		return (long) (random.nextDouble() * stretch * this.hold.toNanos());
	}

	/**
	 * Draws how long a lock is held after it was downgraded: long enough for readers to
	 * come in.
	 * @param random the worker's
	 * @return the time
	 */
	long readNanos(Random random) {
		return (long) (random.nextDouble() * 10 * this.hold.toNanos());
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
