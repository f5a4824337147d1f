package io.github.zklock.internal.client;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.internal.client.Shares.Claim;
import io.github.zklock.internal.client.Shares.State;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The shares that callers take before anything is sent.
 */
class SharesTests {

	private final Shares shares = Shares.of(List.of(new ShareBound("jobs/*", 2), new ShareBound("jobs/big/*", 1)));

	private final List<String> served = new ArrayList<>();

	@Test
	void i1NoMoreAreTakenThanTheBound() {
		Claim first = begun("a", State.TAKEN, "jobs/1");
		begun("b", State.TAKEN, "jobs/2");
		begun("c", State.WAITING, "jobs/3");
		first.leave();
		assertThat(this.served).containsExactly("c");
	}

	@Test
	void whatATakeCostsDoesNotGrowWithTheKeysThatAreTaken() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		Shares many = Shares.of(List.of(new ShareBound("jobs/*", 6000)));
		for (int i = 0; i < 5000; i++) {
			assertThat(many.claim("a", List.of("jobs/" + i), () -> {
			}).begin(true)).isEqualTo(State.TAKEN);
		}
		long before = threads.getCurrentThreadAllocatedBytes();
		for (int i = 0; i < 100; i++) {
			Claim next = many.claim("b", List.of("jobs/next"), () -> {
			});
			next.begin(true);
			next.leave();
		}
		long each = (threads.getCurrentThreadAllocatedBytes() - before) / 100;
		assertThat(each).as("bytes; a copy of 5,000 keys takes some 200,000").isLessThan(20_000);
	}

	@Test
	void manyOwnersThatWaitForEachOtherInAChainAreComparedOnce() {
		int owners = 300;
		Shares chain = Shares
			.of(IntStream.rangeClosed(0, owners).mapToObj((number) -> new ShareBound("p" + number + "/*", 1)).toList());
		AtomicInteger compared = new AtomicInteger();
		for (int number = 0; number < owners; number++) {
			assertThat(chain.claim(new Numbered(number, compared), List.of("p" + number + "/has"), () -> {
			}).begin(false)).isEqualTo(State.TAKEN);
		}
		for (int number = 1; number < owners; number++) {
			assertThat(wants(chain, number - 1, compared, number)).isEqualTo(State.WAITING);
		}
		compared.set(0);
		assertThat(chain.claim(new Numbered(owners, compared), List.of("p" + owners + "/has"), () -> {
		}).begin(false)).isEqualTo(State.TAKEN);
		assertThat(wants(chain, owners, compared, 0)).isEqualTo(State.WAITING);
		assertThat(compared).hasValueBetween(1, 2 * owners);
		assertThat(wants(chain, owners - 1, compared, 0)).isEqualTo(State.REFUSED);
	}

	private static State wants(Shares chain, int number, AtomicInteger compared, int of) {
		return chain.claim(new Numbered(number, compared), List.of("p" + of + "/wanted"), () -> {
		}).begin(false);
	}

	@Test
	void anOwnerThatHasChangedGivesItsShareBack() {
		List<String> owner = new ArrayList<>(List.of("a"));
		Claim first = this.shares.claim(owner, List.of("jobs/1"), () -> {
		});
		assertThat(first.begin(false)).isEqualTo(State.TAKEN);
		owner.add("changed");
		first.giveBack("jobs/1");
		owner.remove("changed");
		Claim taken = begun("b", State.TAKEN, "jobs/1");
		begun("c", State.TAKEN, "jobs/2");
		begun("d", State.WAITING, "jobs/3");
		Claim again = this.shares.claim(owner, List.of("jobs/4"), () -> this.served.add("again"));
		assertThat(again.begin(false)).isEqualTo(State.WAITING);
		taken.leave();
		assertThat(this.served).as("it has none, and so is behind who came before").containsExactly("d");
	}

	@Test
	void anOwnerThatThrowsGivesItsSharesBack() {
		Owner owner = new Owner();
		Claim first = begun(owner, State.TAKEN, "jobs/1");
		Claim second = begun(owner, State.TAKEN, "jobs/2");
		Claim next = begun("b", State.WAITING, "jobs/3");
		begun("c", State.WAITING, "jobs/4");
		owner.isBroken = true;
		second.giveBack("jobs/2");
		assertThat(this.served).containsExactly("b");
		first.leave();
		assertThat(this.served).containsExactly("b", "c");
		owner.isBroken = false;
		begun("d", State.WAITING, "jobs/5");
		begun(owner, State.WAITING, "jobs/6");
		next.leave();
		assertThat(this.served).as("it has none, and so is behind who came before").containsExactly("b", "c", "d");
	}

	@Test
	void anOwnerThatThrowsIsServed() {
		Owner owner = new Owner();
		begun(owner, State.TAKEN, "jobs/1");
		Claim other = begun("b", State.TAKEN, "jobs/2");
		begun(owner, State.WAITING, "jobs/3");
		owner.isBroken = true;
		other.leave();
		assertThat(this.served).containsExactly("owner");
	}

	@Test
	void callersOfOneKeyHaveOneShareUntilTheLastOfThemLeaves() {
		Claim first = begun("a", State.TAKEN, "jobs/1");
		Claim second = begun("b", State.TAKEN, "jobs/1");
		begun("c", State.TAKEN, "jobs/2");
		begun("d", State.WAITING, "jobs/3");
		first.leave();
		assertThat(this.served).isEmpty();
		second.giveBack("jobs/1");
		assertThat(this.served).containsExactly("d");
	}

	@Test
	void whoWaitsForAKeyHereDoesNotKeepItsHolderFromAnotherOne() {
		begun("a", State.TAKEN, "jobs/1");
		begun("b", State.TAKEN, "jobs/1");
		begun("a", State.TAKEN, "jobs/2");
		begun("a", State.REFUSED, "jobs/3");
	}

	@Test
	void i3WhoNeedsNoShareOfItsOwnStillOvertakesNobody() {
		begun("a", State.TAKEN, "jobs/1");
		begun("b", State.TAKEN, "jobs/2");
		Claim large = begun("c", State.WAITING, "jobs/3");
		begun("d", State.WAITING, "jobs/1");
		assertThat(claim("e", "jobs/1").begin(true)).isEqualTo(State.BUSY);
		large.leave();
		assertThat(this.served).containsExactly("d");
	}

	@Test
	void whoIsServedLetsThoseInThatWantTheSameKey() {
		Claim first = begun("a", State.TAKEN, "jobs/big/1");
		begun("b", State.WAITING, "jobs/big/2");
		begun("c", State.WAITING, "jobs/big/2");
		begun("d", State.WAITING, "jobs/big/1");
		first.leave();
		assertThat(this.served).containsExactly("b", "c");
	}

	@Test
	void i4AUserOfAKeyWithoutAWaitIsNoDeadlock() {
		begun("a", State.TAKEN, "jobs/1");
		Claim other = begun("b", State.TAKEN, "jobs/2");
		Claim same = begun("c", State.TAKEN, "jobs/2");
		begun("a", State.WAITING, "jobs/3");
		other.leave();
		assertThat(this.served).isEmpty();
		same.leave();
		assertThat(this.served).containsExactly("a");
	}

	@ParameterizedTest
	@CsvSource({ "a, b, c", "c, b, a" })
	void i4AWaitForOneThatWaitsForOneThatDoesNotIsNoDeadlock(String last, String next, String first) {
		begun(last, State.TAKEN, "jobs/big/1");
		begun(next, State.TAKEN, "jobs/1");
		begun(first, State.TAKEN, "jobs/2");
		begun(next, State.WAITING, "jobs/big/2");
		begun(first, State.WAITING, "jobs/3");
	}

	@Test
	void aKeyHasTheBoundOfTheNarrowestPatternOnly() {
		begun("a", State.TAKEN, "jobs/1");
		begun("b", State.TAKEN, "jobs/2");
		begun("c", State.TAKEN, "jobs/big/1");
		begun("d", State.WAITING, "jobs/big/2");
		assertThat(this.shares.isBounded(List.of("other"))).isFalse();
	}

	@Test
	void whoDoesNotWaitIsRefusedAtOnce() {
		begun("a", State.TAKEN, "jobs/big/1");
		Claim other = claim("b", "jobs/big/2");
		assertThat(other.begin(true)).isEqualTo(State.BUSY);
		assertThat(other.inTheWay()).hasToString("1 key of 'jobs/big/*' at a time (max-held)");
	}

	@Test
	void whoDoesNotWaitOvertakesNobody() {
		Claim first = begun("a", State.TAKEN, "jobs/1");
		begun("b", State.WAITING, "jobs/2", "jobs/3");
		assertThat(claim("c", "jobs/4").begin(true)).isEqualTo(State.BUSY);
		first.leave();
		assertThat(this.served).containsExactly("b");
	}

	@Test
	void i2SharesOfSeveralPatternsAreTakenTogether() {
		Claim big = begun("a", State.TAKEN, "jobs/big/1");
		Claim both = begun("b", State.WAITING, "jobs/1", "jobs/big/2");
		assertThat(this.shares.count()).isEqualTo(3);
		both.leave();
		begun("c", State.TAKEN, "jobs/2", "jobs/3");
		big.leave();
	}

	@Test
	void i3WhoComesFirstIsServedFirst() {
		Claim first = begun("a", State.TAKEN, "jobs/big/1");
		List<Claim> waiting = List.of(begun("b", State.WAITING, "jobs/big/2"), begun("c", State.WAITING, "jobs/big/3"),
				begun("d", State.WAITING, "jobs/big/4"));
		first.leave();
		waiting.get(1).leave();
		waiting.get(0).leave();
		assertThat(this.served).containsExactly("b", "d");
	}

	@Test
	void whoGivesUpLetsThoseBehindIt() {
		begun("a", State.TAKEN, "jobs/1");
		Claim large = begun("b", State.WAITING, "jobs/2", "jobs/3");
		begun("c", State.WAITING, "jobs/4");
		large.leave();
		assertThat(this.served).containsExactly("c");
	}

	@Test
	void anOwnerThatHasSharesComesBeforeThoseThatWaitForThem() {
		begun("a", State.TAKEN, "jobs/1");
		begun("b", State.WAITING, "jobs/2", "jobs/3");
		begun("a", State.TAKEN, "jobs/4");
	}

	@Test
	void newcomersTakeNothingThatAnOwnerOfSharesWaitsFor() {
		Claim one = begun("a", State.TAKEN, "jobs/1");
		begun("b", State.TAKEN, "jobs/2");
		begun("a", State.WAITING, "jobs/3");
		begun("c", State.WAITING, "jobs/4");
		one.leave();
		assertThat(this.served).containsExactly("a");
	}

	@Test
	void newcomersTakeNothingThatIsFreeAndAnOwnerOfSharesWaitsForTogetherWithMore() {
		begun("a", State.TAKEN, "jobs/1");
		Claim other = begun("b", State.TAKEN, "jobs/big/1");
		begun("a", State.WAITING, "jobs/2", "jobs/big/2");
		begun("c", State.WAITING, "jobs/3");
		other.leave();
		assertThat(this.served).containsExactly("a");
	}

	@Test
	void anOwnerOfSharesThatIsServedKeepsNobodyWaitingForAnotherPattern() {
		begun("a", State.TAKEN, "jobs/1");
		Claim other = begun("b", State.TAKEN, "jobs/big/1");
		begun("a", State.WAITING, "jobs/2", "jobs/big/2");
		begun("c", State.WAITING, "jobs/1");
		other.leave();
		assertThat(this.served).containsExactly("a", "c");
	}

	@Test
	void whoIsServedKeepsNobodyWaitingForAnotherPattern() {
		Claim big = begun("a", State.TAKEN, "jobs/big/1");
		begun("b", State.WAITING, "jobs/2", "jobs/big/2");
		begun("c", State.WAITING, "jobs/3");
		big.leave();
		assertThat(this.served).containsExactly("b", "c");
	}

	@Test
	void i4WhoWouldWaitForItselfIsRefused() {
		begun("a", State.TAKEN, "jobs/1", "jobs/2");
		begun("a", State.REFUSED, "jobs/3");
	}

	@Test
	void i4WhoWouldWaitForOwnersThatWaitIsRefused() {
		Claim first = begun("a", State.TAKEN, "jobs/1");
		begun("b", State.TAKEN, "jobs/2");
		begun("a", State.WAITING, "jobs/3");
		Claim refused = begun("b", State.REFUSED, "jobs/4");
		refused.leave();
		assertThat(this.served).isEmpty();
		first.leave();
		assertThat(this.served).containsExactly("a");
	}

	@Test
	void i4OwnersThatWaitAcrossPatternsAreFound() {
		begun("a", State.TAKEN, "jobs/1", "jobs/2");
		begun("b", State.TAKEN, "jobs/big/1");
		begun("a", State.WAITING, "jobs/big/2");
		begun("b", State.REFUSED, "jobs/3");
	}

	@Test
	void whoWasRefusedKeepsNobodyWaiting() {
		Claim first = begun("a", State.TAKEN, "jobs/1", "jobs/2");
		begun("a", State.REFUSED, "jobs/3");
		first.giveBack("jobs/1");
		begun("b", State.TAKEN, "jobs/4");
	}

	@Test
	void whoHasLeftHasNoShareAndComesBehindThoseThatCameBefore() {
		begun("a", State.TAKEN, "jobs/1").leave();
		Claim taken = begun("b", State.TAKEN, "jobs/1");
		begun("c", State.TAKEN, "jobs/2");
		begun("d", State.WAITING, "jobs/3");
		begun("a", State.WAITING, "jobs/4");
		taken.leave();
		assertThat(this.served).containsExactly("d");
	}

	@Test
	void i4WhoHasAnotherShareLeftWouldWaitForItself() {
		begun("a", State.TAKEN, "jobs/big/1");
		begun("a", State.TAKEN, "jobs/1").leave();
		begun("a", State.REFUSED, "jobs/big/2");
	}

	@Test
	void anOwnerOfSharesThatGivesUpTakesNothing() {
		begun("a", State.TAKEN, "jobs/1");
		Claim other = begun("b", State.TAKEN, "jobs/2");
		begun("a", State.WAITING, "jobs/3").leave();
		other.leave();
		assertThat(this.served).isEmpty();
		begun("c", State.TAKEN, "jobs/4");
	}

	@Test
	void i5AShareComesBackOnce() {
		Claim claim = begun("a", State.TAKEN, "jobs/1", "jobs/2");
		claim.giveBack("jobs/1");
		claim.giveBack("jobs/1");
		begun("b", State.TAKEN, "jobs/3");
		begun("c", State.WAITING, "jobs/4");
		claim.leave();
		claim.leave();
		claim.giveBack("jobs/2");
		assertThat(this.served).containsExactly("c");
		begun("d", State.WAITING, "jobs/5");
	}

	@Test
	void whatWasLeftBeforeItBeginsTakesNothing() {
		Claim claim = claim("a", "jobs/big/1");
		claim.leave();
		assertThat(claim.begin(false)).isEqualTo(State.LEFT);
		assertThat(this.shares.count()).isZero();
	}

	@Test
	void aRequestForMoreThanTheBoundIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.shares.check(List.of("jobs/1", "jobs/2", "jobs/3")))
			.withMessageContaining("3 keys")
			.withMessageContaining("2 keys of 'jobs/*'");
		this.shares.check(List.of("jobs/1", "jobs/2", "jobs/big/1", "other"));
	}

	@Test
	void boundsOfOneKeyThatContradictEachOtherAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Shares.of(List.of(new ShareBound("a*", 2), new ShareBound("*b", 2))))
			.withMessageContaining("a*")
			.withMessageContaining("*b");
		assertThatIllegalArgumentException().isThrownBy(() -> new ShareBound("a*", 0));
	}

	@Test
	void i1i5ManyThreadsNeverHaveMoreThanTheBoundAndLeaveNothing() throws Exception {
		AtomicInteger small = new AtomicInteger();
		AtomicInteger big = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(6);
		try {
			List<Future<?>> ends = new ArrayList<>();
			for (int thread = 0; thread < 6; thread++) {
				String owner = "owner-" + thread;
				Random random = new Random(thread);
				ends.add(threads.submit(() -> {
					for (int i = 0; i < 3000; i++) {
						work(owner, random, small, big, most);
					}
					return null;
				}));
			}
			for (Future<?> end : ends) {
				end.get(60, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(most).hasValueBetween(1, 2);
		assertThat(this.shares.count()).isZero();
	}

	private void work(String owner, Random random, AtomicInteger small, AtomicInteger big, AtomicInteger most)
			throws InterruptedException {
		boolean both = random.nextBoolean();
		CountDownLatch ready = new CountDownLatch(1);
		String key = "jobs/" + owner;
		Claim claim = this.shares.claim(owner, both ? List.of(key, "jobs/big/" + owner) : List.of(key),
				ready::countDown);
		State state = claim.begin(random.nextInt(4) == 0);
		if (state == State.WAITING && random.nextInt(8) > 0) {
			assertThat(ready.await(30, TimeUnit.SECONDS)).as("served").isTrue();
			state = State.TAKEN;
		}
		if (state == State.TAKEN) {
			most.accumulateAndGet(small.incrementAndGet(), Math::max);
			if (both) {
				assertThat(big.incrementAndGet()).isEqualTo(1);
				big.decrementAndGet();
			}
			small.decrementAndGet();
			claim.giveBack(key);
		}
		claim.leave();
	}

	private Claim claim(Object owner, String... keys) {
		return this.shares.claim(owner, List.of(keys), () -> this.served.add(owner.toString()));
	}

	private Claim begun(Object owner, State expected, String... keys) {
		Claim claim = claim(owner, keys);
		assertThat(claim.begin(false)).as("the claim of " + owner).isEqualTo(expected);
		return claim;
	}

	/** Is equal to itself, and throws once it is broken. */
	private static final class Owner {

		private boolean isBroken;

		@Override
		public boolean equals(Object other) {
			if (this.isBroken) {
				throw new IllegalStateException("planted");
			}
			return this == other;
		}

		@Override
		public int hashCode() {
			return 1;
		}

		@Override
		public String toString() {
			return "owner";
		}

	}

	/**
	 * Counts how often one is compared.
	 *
	 * @param number which one it is
	 * @param compared counts
	 */
	private record Numbered(int number, AtomicInteger compared) {

		@Override
		public boolean equals(Object other) {
			this.compared.incrementAndGet();
			return other instanceof Numbered numbered && this.number == numbered.number;
		}

		@Override
		public int hashCode() {
			return this.number;
		}

	}

}
