package io.github.zklock.internal.contender;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HeldNodesTests {

	private long now = Long.MAX_VALUE - 5;

	private final HeldNodes nodes = new HeldNodes(() -> this.now);

	@Test
	void nothingIsKnownOfANodeThatWasNotSeen() {
		this.nodes.held("a");
		assertThat(this.nodes.isHeld("b")).isFalse();
	}

	@Test
	void i1ThatANodeIsHeldIsKnownForAMoment() {
		this.nodes.held("a");
		this.now += HeldNodes.LATELY_NANOS - 1;
		assertThat(this.nodes.isHeld("a")).isTrue();
		this.now++;
		assertThat(this.nodes.isHeld("a")).isFalse();
	}

	@Test
	void thatANodeIsNeverRetainedIsKnownForGood() {
		this.nodes.fixed("a");
		this.now += Long.MAX_VALUE;
		assertThat(this.nodes.isHeld("a")).isTrue();
	}

	@Test
	void i2TheOneThatWasAskedForLeastLatelyIsForgottenFirst() {
		for (int i = 0; i < LatestUsed.CAPACITY; i++) {
			this.nodes.fixed("node " + i);
		}
		assertThat(this.nodes.isHeld("node 0")).isTrue();
		this.nodes.held("another");
		assertThat(this.nodes.count()).isEqualTo(LatestUsed.CAPACITY);
		assertThat(this.nodes.isHeld("node 0")).isTrue();
		assertThat(this.nodes.isHeld("node 1")).isFalse();
	}

}
