package io.github.zklock.internal.cohort;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Of which keys the callers were seen to come back soon after they had released. What is
 * learnt of a key outlives its cohort.
 */
final class QuickReturns {

	/*-
	 * One long for each of 1,024 hashes of keys: bits of the hash, the score, and until when the next
	 * caller comes soon, which is zero while nobody has left. It is a guess, so nothing is made
	 * atomic of several: two cohorts that share a long, or change it at once, may lose or spoil what
	 * was learnt. Then a node lingers for a moment in vain, or does not linger although it should.
	 *
	 * I1: a key of which nothing is known has no score. It takes QUICK returns in a row that are
	 *     soon before it has one, and two that are not end it.
	 */

	private static final int SLOTS = 1024;

	/** A caller that has come back so often is expected to do so again. */
	static final int QUICK = 2;

	/** The highest score. */
	private static final int MOST = 2 * QUICK;

	private static final int SCORE_BITS = 3;

	private static final int TAG_BITS = 9;

	private static final int TIME_BITS = Long.SIZE - TAG_BITS - SCORE_BITS;

	private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

	/**
	 * The last caller of a key has left.
	 * @param key the key
	 * @param until until when another one comes soon, in nanoseconds of the clock
	 */
	void left(String key, long until) {
		int hash = hash(key);
		set(hash, score(hash), Math.max(1, time(until)));
	}

	/**
	 * A caller of a key has come.
	 * @param key the key
	 * @param now nanoseconds of the clock
	 */
	void came(String key, long now) {
		int hash = hash(key);
		long slot = this.slots.get(hash % SLOTS);
		long until = time(slot);
		if (until != 0 && tag(slot) == tag(hash)) {
			// What is left is negative if the sign of so many bits is set
			boolean soon = time(until - time(now)) < 1L << (TIME_BITS - 1);
			int score = score(hash);
			set(hash, soon ? Math.min(score + 1, MOST) : Math.max(score - QUICK, 0), 0);
		}
	}

	/**
	 * Returns whether callers of a key are expected to come back soon.
	 * @param key the key
	 * @return whether they did so lately
	 */
	boolean areExpected(String key) {
		return score(hash(key)) >= QUICK;
	}

	private int score(int hash) {
		long slot = this.slots.get(hash % SLOTS);
		return (tag(slot) == tag(hash)) ? (int) (slot >>> TIME_BITS) & ((1 << SCORE_BITS) - 1) : 0;
	}

	private void set(int hash, int score, long time) {
		this.slots.set(hash % SLOTS, (tag(hash) << (TIME_BITS + SCORE_BITS)) | ((long) score << TIME_BITS) | time);
	}

	private static long time(long nanos) {
		return nanos & ((1L << TIME_BITS) - 1);
	}

	private static long tag(long slot) {
		return slot >>> (TIME_BITS + SCORE_BITS);
	}

	// The upper bits of a spread hash; the lower ones choose the slot
	private static long tag(int hash) {
		return (hash >>> 10) & ((1L << TAG_BITS) - 1);
	}

	private static int hash(String key) {
		int hash = key.hashCode();
		return ((hash ^ (hash >>> 16)) * 0x45d9f3b) >>> 1;
	}

}
