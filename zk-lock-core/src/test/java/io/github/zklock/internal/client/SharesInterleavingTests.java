package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.fixture.Interleavings;
import io.github.zklock.fixture.Interleavings.Scenario;

/**
 * Shares that are given back, waited for and given up by several threads at once.
 */
@Tag("interleavings")
class SharesInterleavingTests {

	@Test
	void i1i5AShareIsHandedToOneOfThoseThatWaitAndIsNotLost() {
		Interleavings.explore(Served.class);
	}

	@Test
	void canaryACountThatIsReadAndThenWrittenIsFound() {
		Interleavings.findRace(Counted.class, "two have the one share");
	}

	/** One gives back, one gives up, one comes. */
	public static class Served extends Scenario {

		private Shares shares;

		private AtomicInteger served;

		private Shares.Claim first;

		private Shares.Claim second;

		private Shares.Claim third;

		private volatile Shares.State came;

		@Override
		public void prepare() {
			this.shares = Shares.of(List.of(new ShareBound("*", 1)));
			this.served = new AtomicInteger();
			this.first = claim("first");
			this.second = claim("second");
			this.third = claim("third");
			this.first.begin(false);
			this.second.begin(false);
		}

		private Shares.Claim claim(String owner) {
			return this.shares.claim(owner, List.of(owner), this.served::incrementAndGet);
		}

		@Operation
		public void giveBack() {
			this.first.giveBack("first");
			this.first.leave();
		}

		@Operation
		public void giveUp() {
			this.second.leave();
		}

		@Operation
		public void come() {
			this.came = this.third.begin(false);
		}

		@Override
		public void verify() {
			Interleavings.check(this.third.has("third"), "the share is lost");
			Interleavings.check(this.shares.count() == 1, "more is taken than the one share");
			Interleavings.check(this.came == Shares.State.TAKEN || this.served.get() > 0, "who waits is not called");
			this.third.leave();
			Interleavings.check(this.shares.count() == 0, "a share is left");
		}

	}

	/** Looks whether there is a share, and then takes it. */
	public static class Counted extends Scenario {

		private AtomicInteger free;

		private AtomicInteger taken;

		@Override
		public void prepare() {
			this.free = new AtomicInteger(1);
			this.taken = new AtomicInteger();
		}

		private void takeIfFree() {
			if (this.free.get() > 0) {
				this.free.decrementAndGet();
				this.taken.incrementAndGet();
			}
		}

		@Operation
		public void take() {
			takeIfFree();
		}

		@Operation
		public void takeToo() {
			takeIfFree();
		}

		@Override
		public void verify() {
			Interleavings.check(this.taken.get() == 1, "two have the one share");
		}

	}

}
