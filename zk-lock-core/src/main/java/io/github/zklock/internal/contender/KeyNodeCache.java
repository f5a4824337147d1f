package io.github.zklock.internal.contender;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Remembers which key nodes were used lately, and whether they were there.
 */
public final class KeyNodeCache {

	/*-
	 * What was seen of some key nodes, so that the next contender's first request is
	 * the one that will do.
	 *
	 *   UNKNOWN      not used lately, or forgotten
	 *   USED ONCE    lately; its key node is made and removed together with its contender
	 *   USED OFTEN   again within that time; its key node is kept
	 * and, beside that, THERE (seen lately, or kept by others) or AWAY.
	 *
	 * "Lately" is half of the time after which the servers look for empty containers unless
	 * set otherwise: a key node that nobody has used for longer is about to go. One that was there
	 * although it was not expected is kept by other clients, and so is expected from then on.
	 *
	 * I1: it only saves requests. Only the answer corrects a wrong belief, and nothing else does:
	 *     two contenders, or two clients, may believe different things.
	 * I2: what was seen is believed until something else is seen, for a time; so after
	 *     a correction the next try is not the same.
	 * I3: at most LatestUsed.CAPACITY keys are known; the one that was used or seen least lately is
	 *     forgotten first.
	 * All state is confined to the serial executor of its keys.
	 */

	public static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final LongSupplier clock;

	private final Map<String, KeyNode> keyNodes = new LatestUsed<>();

	public KeyNodeCache(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * Notes that a contender enters the queue of a key.
	 * @param key the key
	 */
	public void use(String key) {
		long now = this.clock.getAsLong();
		KeyNode keyNode = keyNode(key, now);
		keyNode.often = keyNode.used && isLately(keyNode.usedAt, now);
		keyNode.used = true;
		keyNode.usedAt = now;
	}

	/**
	 * Notes whether the key node is there.
	 * @param key the key
	 * @param there what an answer of the servers said
	 */
	public void seen(String key, boolean there) {
		long now = this.clock.getAsLong();
		KeyNode keyNode = keyNode(key, now);
		keyNode.there = there;
		keyNode.kept &= there;
		keyNode.seenAt = now;
	}

	/**
	 * Notes that the key node is there although it was not expected.
	 * @param key the key
	 */
	public void seenUnexpectedly(String key) {
		seen(key, true);
		keyNode(key, this.clock.getAsLong()).kept = true;
	}

	/**
	 * Returns whether the key node of a key was there lately, or is kept by others.
	 * @param key the key
	 * @return false also if nothing is known
	 */
	public boolean isThere(String key) {
		KeyNode keyNode = this.keyNodes.get(key);
		return keyNode != null && keyNode.there && (keyNode.kept || isLately(keyNode.seenAt, this.clock.getAsLong()));
	}

	/**
	 * Returns whether a key is in use, so that its key node is worth keeping.
	 * @param key the key
	 * @return whether it was used twice lately
	 */
	public boolean isUsedOften(String key) {
		KeyNode keyNode = this.keyNodes.get(key);
		return keyNode != null && keyNode.often && isLately(keyNode.usedAt, this.clock.getAsLong());
	}

	/**
	 * Notes that a contender was queued and is granted now.
	 * @param key the key
	 * @param nanos how long it waited for each who was before it
	 */
	void waited(String key, long nanos) {
		keyNode(key, this.clock.getAsLong()).wait = nanos;
	}

	/**
	 * Returns how long those of a key have it.
	 * @param key the key
	 * @return for how long the last contender waited for each before it, in nanoseconds;
	 * zero if none has
	 */
	long waitNanos(String key) {
		KeyNode keyNode = this.keyNodes.get(key);
		return (keyNode != null && isLately(keyNode.usedAt, this.clock.getAsLong())) ? keyNode.wait : 0;
	}

	/**
	 * Notes that the servers do not let us write what those who wait for a key would be
	 * served by.
	 * @param key the key
	 * @return whether they have not done so lately
	 */
	boolean refused(String key) {
		long now = this.clock.getAsLong();
		boolean known = isRefused(key, now);
		KeyNode keyNode = keyNode(key, now);
		keyNode.refused = true;
		keyNode.refusedAt = now;
		return !known;
	}

	/**
	 * Returns whether the servers refused to write that lately.
	 * @param key the key
	 * @return false also if nothing is known
	 */
	boolean isRefused(String key) {
		return isRefused(key, this.clock.getAsLong());
	}

	private boolean isRefused(String key, long now) {
		KeyNode keyNode = this.keyNodes.get(key);
		return keyNode != null && keyNode.refused && isLately(keyNode.refusedAt, now);
	}

	public int count() {
		return this.keyNodes.size();
	}

	private KeyNode keyNode(String key, long now) {
		@Nullable KeyNode known = this.keyNodes.get(key);
		if (known != null) {
			return known;
		}
		KeyNode keyNode = new KeyNode(now);
		this.keyNodes.put(key, keyNode);
		return keyNode;
	}

	private static boolean isLately(long then, long now) {
		return now - then < LATELY_NANOS;
	}

	/** What is known of one key node. */
	private static final class KeyNode {

		private long usedAt;

		private long seenAt;

		private long refusedAt;

		private long wait;

		private boolean refused;

		private boolean used;

		private boolean often;

		private boolean there;

		private boolean kept;

		KeyNode(long now) {
			this.usedAt = now;
			this.seenAt = now;
			this.refusedAt = now;
		}

	}

}
