package io.github.zklock.internal.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/*
 * What was seen of the places of some keys, so that the next contender's first request is
 * the one that will do.
 *
 *   UNKNOWN      not used lately, or forgotten
 *   USED ONCE    lately; its place is made and removed together with its contender
 *   USED OFTEN   again within that time; its place is kept
 * and, beside that, THERE (seen lately) or AWAY.
 *
 * "Lately" is half of the time after which the servers look for empty containers unless
 * told otherwise: a place that nobody has used for longer is about to go.
 *
 * I1: it only saves requests. Whoever acts on a wrong belief is told so by the answer, and
 *     by nothing else: two contenders, or two clients, may believe different things.
 * I2: what was seen is believed until something else is seen, for a time; so whoever
 *     corrects it and tries again does not try the same.
 * I3: at most CAPACITY keys are known; the one that was used or seen least lately is
 *     forgotten first.
 * All state is confined to the mailbox of its keys.
 */
/**
 * Remembers which places were used lately, and whether they were there.
 */
public final class RecentPlaces {

	public static final int CAPACITY = 64;

	public static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final LongSupplier clock;

	private final Map<String, Place> places = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Place> eldest) {
			return size() > CAPACITY;
		}

	};

	public RecentPlaces(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * Notes that a contender enters the line of a key.
	 * @param key the key
	 */
	public void use(String key) {
		long now = this.clock.getAsLong();
		Place place = place(key, now);
		place.often = place.used && isLately(place.usedAt, now);
		place.used = true;
		place.usedAt = now;
	}

	/**
	 * Notes whether the place of a key is there.
	 * @param key the key
	 * @param there what an answer of the servers said
	 */
	public void seen(String key, boolean there) {
		long now = this.clock.getAsLong();
		Place place = place(key, now);
		place.there = there;
		place.seenAt = now;
	}

	/**
	 * Tells whether the place of a key was there lately.
	 * @param key the key
	 * @return false also if nothing is known
	 */
	public boolean isThere(String key) {
		Place place = this.places.get(key);
		return place != null && place.there && isLately(place.seenAt, this.clock.getAsLong());
	}

	/**
	 * Tells whether a key is in use, so that its place is worth keeping.
	 * @param key the key
	 * @return whether it was used twice lately
	 */
	public boolean isUsedOften(String key) {
		Place place = this.places.get(key);
		return place != null && place.often && isLately(place.usedAt, this.clock.getAsLong());
	}

	public int count() {
		return this.places.size();
	}

	private Place place(String key, long now) {
		@Nullable Place known = this.places.get(key);
		if (known != null) {
			return known;
		}
		Place place = new Place(now);
		this.places.put(key, place);
		return place;
	}

	private static boolean isLately(long then, long now) {
		return now - then < LATELY_NANOS;
	}

	/** What is known of one place. */
	private static final class Place {

		private long usedAt;

		private long seenAt;

		private boolean used;

		private boolean often;

		private boolean there;

		Place(long now) {
			this.usedAt = now;
			this.seenAt = now;
		}

	}

}
