package io.github.zklock.internal.contender;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentPlacesTests {

	private long now = Long.MAX_VALUE - 5;

	private final RecentPlaces places = new RecentPlaces(() -> this.now);

	@Test
	void nothingIsKnownOfAPlaceThatWasNotSeen() {
		this.places.use("a");
		assertThat(this.places.isThere("a")).isFalse();
		assertThat(this.places.isThere("b")).isFalse();
		assertThat(this.places.isUsedOften("b")).isFalse();
	}

	@Test
	void whatWasSeenLastIsBelieved() {
		this.places.seen("a", true);
		assertThat(this.places.isThere("a")).isTrue();
		this.places.seen("a", false);
		assertThat(this.places.isThere("a")).isFalse();
	}

	@Test
	void whatWasSeenLongAgoIsNotBelieved() {
		this.places.seen("a", true);
		this.now += RecentPlaces.LATELY_NANOS - 1;
		assertThat(this.places.isThere("a")).isTrue();
		this.now++;
		assertThat(this.places.isThere("a")).isFalse();
		this.places.seen("a", true);
		assertThat(this.places.isThere("a")).isTrue();
	}

	@Test
	void aKeyThatIsUsedAgainLatelyIsUsedOften() {
		this.places.use("a");
		assertThat(this.places.isUsedOften("a")).isFalse();
		this.now += RecentPlaces.LATELY_NANOS - 1;
		this.places.use("a");
		assertThat(this.places.isUsedOften("a")).isTrue();
		this.now += RecentPlaces.LATELY_NANOS;
		assertThat(this.places.isUsedOften("a")).isFalse();
	}

	@Test
	void aKeyThatIsUsedNowAndThenIsNotUsedOften() {
		for (int i = 0; i < 3; i++) {
			this.places.use("a");
			assertThat(this.places.isUsedOften("a")).isFalse();
			this.now += RecentPlaces.LATELY_NANOS;
		}
	}

	@Test
	void aPlaceThatWasOnlySeenWasNotUsed() {
		this.places.seen("a", true);
		this.places.use("a");
		assertThat(this.places.isUsedOften("a")).isFalse();
	}

	@Test
	void theOneThatWasUsedLeastLatelyIsForgottenFirst() {
		for (int i = 0; i < RecentPlaces.CAPACITY; i++) {
			this.places.seen("key " + i, true);
		}
		this.places.use("key 0");
		this.places.seen("another", true);
		assertThat(this.places.count()).isEqualTo(RecentPlaces.CAPACITY);
		assertThat(this.places.isThere("key 0")).isTrue();
		assertThat(this.places.isThere("key 1")).isFalse();
		assertThat(this.places.isThere("key 2")).isTrue();
	}

}
