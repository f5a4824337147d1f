package io.github.zklock.internal.cohort;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Blocker;

/**
 * What the callers of one key have seen last. Each sighting has a number, so that a
 * caller who came later does not take an old one for news.
 *
 * @param number how many sightings there were
 * @param seen who was in the way last, or null
 * @param seenNumber which sighting that was
 * @param disturbance the last unusable answer, or null
 * @param disturbanceNumber which sighting that was
 */
record BlockerSightings(long number, @Nullable BlockerSighting seen, long seenNumber, @Nullable Exception disturbance,
		long disturbanceNumber) {

	static final BlockerSightings NONE = new BlockerSightings(0, null, 0, null, 0);

	BlockerSightings with(Blocker blocker, long now) {
		return new BlockerSightings(this.number + 1, new BlockerSighting(blocker, now), this.number + 1,
				this.disturbance, this.disturbanceNumber);
	}

	BlockerSightings with(Exception cause) {
		return new BlockerSightings(this.number + 1, this.seen, this.seenNumber, cause, this.number + 1);
	}

	@Nullable BlockerSighting seenAfter(long earlier) {
		return (this.seenNumber > earlier) ? this.seen : null;
	}

	@Nullable Exception disturbanceAfter(long earlier) {
		return (this.disturbanceNumber > earlier) ? this.disturbance : null;
	}

}
