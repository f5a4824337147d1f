package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.fixture.Candidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of leaders and candidates whose session ends.
 */
interface LeaderLossContract extends ServerContract {

	private void awaitCandidates(int count) {
		await(count + " candidates")
			.until(() -> zk().contenders(LeaderElection.key(Candidate.ELECTION).replace("/", "%2F")).size() == count);
	}

	@Test
	default void aLeaderWhoseSessionExpiresIsReplacedAndStandsAgain() {
		zk().announce("lost");
		LockClient client = open();
		try (Candidate first = Candidate.of(client).awaitTerms(1); Candidate second = Candidate.of(open())) {
			awaitCandidates(2);
			AtomicInteger lost = new AtomicInteger();
			LockHandle work = first.election().enter().orElseThrow();
			work.onLost(lost::incrementAndGet);
			zk().expireSession(client);
			first.awaitEnded(1);
			await().untilAsserted(() -> assertThat(lost).hasValue(1));
			assertThat(first.election().isLeader()).isFalse();
			assertThat(work.isHeld()).isFalse();
			second.awaitTerms(1);
			awaitCandidates(1);
			work.release();
			awaitCandidates(2);
			second.election().yield();
			first.awaitTerms(2);
			first.terms().assertInOrder();
		}
	}

	@Test
	default void aCandidateWhoseSessionExpiresIsQueuedAgain() {
		LockClient client = open();
		try (Candidate first = Candidate.of(open()).awaitTerms(1); Candidate second = Candidate.of(client)) {
			awaitCandidates(2);
			zk().expireSession(client);
			awaitCandidates(2);
			first.close();
			second.awaitTerms(1);
		}
	}

	@Test
	@Tag("LockElection.I6")
	default void aClientThatIsClosedHasNoLeaderAnyMore() {
		zk().announce("lost: its lock client was closed");
		zk().announce("cannot stand for election");
		LockClient client = open();
		try (Candidate first = Candidate.of(client).awaitTerms(1); Candidate second = Candidate.of(open())) {
			awaitCandidates(2);
			client.close();
			first.awaitEnded(1);
			second.awaitTerms(1);
			assertThat(first.election().isLeader()).isFalse();
		}
	}

	@Test
	@Tag("LockElection.I4")
	default void oneThatYieldsIsBehindTheOthersAlthoughItsClientRetainsLocks() {
		Handoff retaining = new Handoff(256, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1));
		LockClient client = zk().client().with((builder) -> builder.handoff(retaining)).open();
		try (Candidate first = Candidate.of(client).awaitTerms(1); Candidate second = Candidate.of(open())) {
			for (int round = 1; round <= 5; round++) {
				awaitCandidates(2);
				first.election().yield();
				second.awaitTerms(round);
				awaitCandidates(2);
				second.election().yield();
				first.awaitTerms(round + 1);
			}
			assertThat(first.terms().granted()).hasSize(6);
		}
		client.close();
	}

	// Both sessions last for five minutes. A candidate that has waited may have to renew
	// its lease.
	@Test
	default void fromALeaderThatLeavesToTheNextThereIsOneRelease() {
		Candidate leader = Candidate.of(openQuiet()).awaitTerms(1);
		try (Candidate second = Candidate.of(openQuiet())) {
			awaitCandidates(2);
			zk().awaitWaiting(second.client(), LeaderElection.key(Candidate.ELECTION).replace("/", "%2F"));
			long zxid = zk().zxidAtRest();
			leader.close();
			second.awaitTerms(1);
			assertThat(zk().zxid()).isBetween(zxid + 1, zxid + 2);
		}
	}

}
