package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.fixture.Candidate;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Who leads, and who is notified of it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what is awaited is seen otherwise
interface LeadershipContract extends LockContract {

	/** The election of the tests. */
	String ELECTION = Candidate.ELECTION;

	/**
	 * Waits until so many candidates are queued, the leader included. A server that lags
	 * behind still has the node of one that has yielded and is not queued again.
	 */
	default void awaitCandidates(int count) {
		String key = LeaderElection.key(ELECTION);
		await(count + " candidates").atMost(Actor.PATIENCE)
			.until(() -> fixture().contendersOnNewestServer(key).size()
					+ fixture().contendersOnNewestServer(key.replace("/", "%2F")).size() == count);
	}

	@Test
	default void theNextCandidateLeadsWhenTheLeaderWithdraws() {
		Candidate first = Candidate.of(open()).awaitTerms(1);
		assertThat(first.election().isLeader()).isTrue();
		assertThat(first.election().term()).hasValue(first.terms().granted().get(0));
		try (Candidate second = Candidate.of(open())) {
			awaitCandidates(2);
			assertThat(second.election().isLeader()).isFalse();
			assertThat(second.election().term()).isEmpty();
			assertThat(second.election().enter()).isEmpty();
			CompletableFuture<Void> withdrawn = first.election().withdraw();
			assertThat(first.election().isLeader()).isFalse();
			assertThat(withdrawn).succeedsWithin(Actor.PATIENCE);
			assertThat(first.terms().revoked()).isEqualTo(first.terms().granted());
			second.awaitTerms(1);
			assertThat(second.terms().granted().get(0)).isGreaterThan(first.terms().granted().get(0));
			assertThat(second.election().isLeader()).isTrue();
		}
	}

	@Test
	@Tag("LockElection.I4")
	default void oneThatYieldsIsBehindAllOthers() {
		try (Candidate first = Candidate.of(open()).awaitTerms(1); Candidate second = Candidate.of(open())) {
			awaitCandidates(2);
			try (Candidate third = Candidate.of(open())) {
				awaitCandidates(3);
				for (int round = 1; round <= 3; round++) {
					first.election().yield();
					second.awaitTerms(round);
					awaitCandidates(3);
					second.election().yield();
					third.awaitTerms(round);
					awaitCandidates(3);
					third.election().yield();
					first.awaitTerms(round + 1);
					awaitCandidates(3);
				}
			}
			first.terms().assertInOrder();
			second.terms().assertInOrder();
		}
	}

	@Test
	@Tag("LockElection.I4")
	default void electionsOfOneClientExcludeEachOther() {
		LockClient client = open();
		try (Candidate first = Candidate.of(client).awaitTerms(1); Candidate second = Candidate.of(client)) {
			assertThat(second.election().isLeader()).isFalse();
			for (int round = 0; round < 3; round++) {
				awaitHandoff(first, second);
				awaitHandoff(second, first);
			}
			first.terms().assertInOrder();
			second.terms().assertInOrder();
		}
	}

	private static void awaitHandoff(Candidate from, Candidate to) {
		await().atMost(Actor.PATIENCE).until(() -> {
			from.election().yield();
			return to.election().isLeader();
		});
		assertThat(from.election().isLeader()).isFalse();
	}

	@Test
	@Tag("LockElection.I2")
	default void theOnlyCandidateThatYieldsLeadsAgainInALaterTerm() {
		try (Candidate only = Candidate.of(open()).awaitTerms(1)) {
			only.election().yield();
			only.awaitTerms(2);
			assertThat(only.election().term()).hasValue(only.terms().granted().get(1));
			only.terms().assertInOrder();
			assertThat(only.terms().threads()).containsOnly("zk-lock-leader-" + ELECTION);
		}
	}

	@Test
	@Tag("LockElection.I3")
	@Tag("LockElection.I5")
	default void nobodyElseLeadsUntilTheLastWorkHasEnded() {
		Candidate first = Candidate.of(open()).awaitTerms(1);
		try (Candidate second = Candidate.of(open())) {
			awaitCandidates(2);
			LockHandle work = first.election().enter().orElseThrow();
			LockHandle other = first.election().enter().orElseThrow();
			assertThat(work.fencingToken()).isEqualTo(first.terms().granted().get(0));
			CompletableFuture<Void> withdrawn = first.election().withdraw();
			assertThat(first.election().isLeader()).isFalse();
			assertThat(first.election().term()).isEmpty();
			assertThat(first.election().enter()).isEmpty();
			first.awaitEnded(1);
			other.release();
			other.release();
			assertThat(other.isHeld()).isFalse();
			assertThat(work.isHeld()).isTrue();
			assertThat(withdrawn).isNotDone();
			assertThat(second.terms().granted()).isEmpty();
			work.release();
			assertThat(withdrawn).succeedsWithin(Actor.PATIENCE);
			second.awaitTerms(1);
		}
	}

	@Test
	@Tag("LockElection.I3")
	default void nobodyElseLeadsUntilTheListenerHasReturned() {
		CountDownLatch announced = new CountDownLatch(1);
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch mayReturn = new CountDownLatch(1);
		LeaderElection first = LeaderElection.of(open(), ELECTION, new LeaderElection.Listener() {
			@Override
			public void granted(long term) {
				announced.countDown();
			}

			@Override
			public void revoked(long term) {
				inside.countDown();
				await().atMost(Actor.PATIENCE).until(() -> mayReturn.getCount() == 0);
			}
		});
		first.stand();
		await().until(() -> announced.getCount() == 0);
		try (Candidate second = Candidate.of(open())) {
			awaitCandidates(2);
			first.withdraw();
			await().until(() -> inside.getCount() == 0);
			assertThat(first.isLeader()).isFalse();
			assertThat(second.election().isLeader()).isFalse();
			awaitCandidates(2);
			mayReturn.countDown();
			second.awaitTerms(1);
		}
	}

	@Test
	@Tag("LockElection.I2")
	default void aListenerThatThrowsDisturbsNothing() {
		fixture().announce("A listener of the election");
		AtomicInteger notified = new AtomicInteger();
		LeaderElection.Listener failing = new LeaderElection.Listener() {
			@Override
			public void granted(long term) {
				notified.incrementAndGet();
				throw new IllegalStateException("granted");
			}

			@Override
			public void revoked(long term) {
				notified.incrementAndGet();
				throw new AssertionError("revoked");
			}
		};
		try (LeaderElection election = LeaderElection.of(open(), ELECTION, failing)) {
			election.stand();
			await().untilAsserted(() -> assertThat(notified).hasValue(1));
			election.yield();
			await().untilAsserted(() -> assertThat(notified).hasValue(3));
			await().until(election::isLeader);
		}
		await().untilAsserted(() -> assertThat(notified).hasValue(4));
	}

	@Test
	@Tag("LockElection.I1")
	default void aCandidateThatWithdrawsLeavesNothingAndMayComeBack() {
		try (Candidate leader = Candidate.of(open()).awaitTerms(1)) {
			LockClient client = open();
			Candidate other = Candidate.of(client);
			other.election().stand();
			awaitCandidates(2);
			assertThat(other.election().withdraw()).succeedsWithin(Duration.ofSeconds(10));
			fixture().awaitNothingLeftOf(client);
			other.election().stand();
			awaitCandidates(2);
			leader.election().withdraw();
			other.awaitTerms(1);
			leader.election().stand();
			other.close();
			leader.awaitTerms(2);
			assertThatIllegalStateException().isThrownBy(other.election()::stand).withMessageContaining(ELECTION);
			assertThat(other.election().withdraw()).succeedsWithin(Actor.PATIENCE);
		}
	}

	@Test
	default void aLeaderThatIsClosedHasReleasedItsLockBeforeItsClientIsClosed() {
		LockClient client = open();
		Candidate leader = Candidate.of(client).awaitTerms(1);
		leader.close();
		client.close();
		assertThat(leader.terms().revoked()).isEqualTo(leader.terms().granted());
	}

	@Test
	@Tag("slow")
	default void anElectionMayBeClosedByItsListenerAndByItsWork() {
		AtomicReference<LeaderElection> election = new AtomicReference<>();
		AtomicInteger ended = new AtomicInteger();
		election.set(LeaderElection.of(open(), ELECTION, new LeaderElection.Listener() {
			@Override
			public void granted(long term) {
				election.get().close();
			}

			@Override
			public void revoked(long term) {
				ended.incrementAndGet();
			}
		}));
		election.get().stand();
		await().untilAsserted(() -> assertThat(ended).hasValue(1));
		Candidate other = Candidate.of(open()).awaitTerms(1);
		LockHandle work = other.election().enter().orElseThrow();
		other.close();
		assertThat(work.isHeld()).isTrue();
		assertThatIllegalStateException().isThrownBy(other.election()::stand);
		work.release();
		other.awaitEnded(1);
	}

	@Test
	default void oneThatComesBackBeforeItHasLeftLeadsAgain() {
		try (Candidate only = Candidate.of(open()).awaitTerms(1)) {
			LockHandle work = only.election().enter().orElseThrow();
			CompletableFuture<Void> withdrawn = only.election().withdraw();
			only.election().stand();
			assertThat(withdrawn).isNotDone();
			work.release();
			only.awaitTerms(2);
			only.terms().assertInOrder();
		}
	}

	@Test
	@Tag("LockElection.I1")
	@Tag("LockElection.I2")
	default void whateverIsCalledAtOnceTermsAreInOrderAndNothingIsLeft() {
		LockClient shared = open();
		List<LockClient> clients = List.of(shared, shared, open());
		Set<LeaderElection> working = ConcurrentHashMap.newKeySet();
		List<Candidate> candidates = clients.stream().map(Candidate::of).toList();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (Candidate candidate : candidates) {
			for (int i = 0; i < 2; i++) {
				callers.add(fixture().actor().call(() -> {
					Random random = new Random();
					for (int step = 0; step < 60; step++) {
						callSomething(candidate.election(), random, working);
					}
					return null;
				}));
			}
		}
		callers.forEach(Actor::get);
		candidates.forEach((candidate) -> candidate.election().withdraw().join());
		candidates.forEach((candidate) -> candidate.election().stand());
		await().atMost(Actor.PATIENCE)
			.until(() -> candidates.stream().anyMatch((candidate) -> candidate.election().isLeader()));
		candidates.forEach(Candidate::close);
		candidates.forEach((candidate) -> candidate.election().withdraw().join());
		candidates.forEach((candidate) -> {
			candidate.terms().assertInOrder();
			assertThat(candidate.terms().revoked()).isEqualTo(candidate.terms().granted());
		});
	}

	// Two callers may work for one instance at the same time; then the first that ends
	// is not noticed, which hides nothing of another instance.
	private static void callSomething(LeaderElection election, Random random, Set<LeaderElection> working) {
		switch (random.nextInt(8)) {
			case 0 -> election.yield();
			case 1 -> election.withdraw();
			case 2, 3 -> election.stand();
			default -> election.enter().ifPresent((work) -> {
				working.add(election);
				Thread.onSpinWait();
				assertThat(working).isSubsetOf(election);
				working.remove(election);
				work.release();
			});
		}
	}

}
