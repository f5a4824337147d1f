package io.github.zklock.internal.contender;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyNodeCacheTests {

	private long now = Long.MAX_VALUE - 5;

	private final KeyNodeCache keyNodes = new KeyNodeCache(() -> this.now);

	@Test
	void nothingIsKnownOfAKeyNodeThatWasNotSeen() {
		this.keyNodes.use("a");
		assertThat(this.keyNodes.isThere("a")).isFalse();
		assertThat(this.keyNodes.isThere("b")).isFalse();
		assertThat(this.keyNodes.isUsedOften("b")).isFalse();
	}

	@Test
	void i2WhatWasSeenLastIsBelieved() {
		this.keyNodes.seen("a", true);
		assertThat(this.keyNodes.isThere("a")).isTrue();
		this.keyNodes.seen("a", false);
		assertThat(this.keyNodes.isThere("a")).isFalse();
	}

	@Test
	void whatWasSeenLongAgoIsNotBelieved() {
		this.keyNodes.seen("a", true);
		this.now += KeyNodeCache.LATELY_NANOS - 1;
		assertThat(this.keyNodes.isThere("a")).isTrue();
		this.now++;
		assertThat(this.keyNodes.isThere("a")).isFalse();
		this.keyNodes.seen("a", true);
		assertThat(this.keyNodes.isThere("a")).isTrue();
	}

	@Test
	void whatOthersKeepIsBelievedForLongerUntilItIsAway() {
		this.keyNodes.seenUnexpectedly("a");
		this.now += 10 * KeyNodeCache.LATELY_NANOS;
		assertThat(this.keyNodes.isThere("a")).isTrue();
		this.keyNodes.seen("a", false);
		assertThat(this.keyNodes.isThere("a")).isFalse();
		this.keyNodes.seen("a", true);
		this.now += KeyNodeCache.LATELY_NANOS;
		assertThat(this.keyNodes.isThere("a")).isFalse();
	}

	@Test
	void aRefusalIsKnownForHalfAMinuteBehindTheLastOne() {
		assertThat(this.keyNodes.isRefused("a")).isFalse();
		assertThat(this.keyNodes.refused("a")).isTrue();
		this.now += KeyNodeCache.LATELY_NANOS - 1;
		assertThat(this.keyNodes.refused("a")).isFalse();
		this.now += KeyNodeCache.LATELY_NANOS - 1;
		assertThat(this.keyNodes.isRefused("a")).isTrue();
		assertThat(this.keyNodes.isRefused("b")).isFalse();
		this.now++;
		assertThat(this.keyNodes.isRefused("a")).isFalse();
		assertThat(this.keyNodes.refused("a")).isTrue();
	}

	@Test
	void howLongAContenderWaitedIsKnownForAsLongAsItsKeyIsUsed() {
		this.keyNodes.use("a");
		assertThat(this.keyNodes.waitNanos("a")).isZero();
		this.keyNodes.waited("a", 3);
		assertThat(this.keyNodes.waitNanos("a")).isEqualTo(3);
		this.now += KeyNodeCache.LATELY_NANOS;
		assertThat(this.keyNodes.waitNanos("a")).isZero();
		assertThat(this.keyNodes.waitNanos("b")).isZero();
	}

	@Test
	void aKeyThatIsUsedAgainLatelyIsUsedOften() {
		this.keyNodes.use("a");
		assertThat(this.keyNodes.isUsedOften("a")).isFalse();
		this.now += KeyNodeCache.LATELY_NANOS - 1;
		this.keyNodes.use("a");
		assertThat(this.keyNodes.isUsedOften("a")).isTrue();
		this.now += KeyNodeCache.LATELY_NANOS;
		assertThat(this.keyNodes.isUsedOften("a")).isFalse();
	}

	@Test
	void aKeyThatIsUsedNowAndThenIsNotUsedOften() {
		for (int i = 0; i < 3; i++) {
			this.keyNodes.use("a");
			assertThat(this.keyNodes.isUsedOften("a")).isFalse();
			this.now += KeyNodeCache.LATELY_NANOS;
		}
	}

	@Test
	void aKeyNodeThatWasOnlySeenWasNotUsed() {
		this.keyNodes.seen("a", true);
		this.keyNodes.use("a");
		assertThat(this.keyNodes.isUsedOften("a")).isFalse();
	}

	@Test
	void i3TheOneThatWasUsedLeastLatelyIsForgottenFirst() {
		for (int i = 0; i < LatestUsed.CAPACITY; i++) {
			this.keyNodes.seen("key " + i, true);
		}
		this.keyNodes.use("key 0");
		this.keyNodes.seen("another", true);
		assertThat(this.keyNodes.count()).isEqualTo(LatestUsed.CAPACITY);
		assertThat(this.keyNodes.isThere("key 0")).isTrue();
		assertThat(this.keyNodes.isThere("key 1")).isFalse();
		assertThat(this.keyNodes.isThere("key 2")).isTrue();
	}

}
