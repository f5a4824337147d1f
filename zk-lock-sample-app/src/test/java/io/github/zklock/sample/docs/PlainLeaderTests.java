package io.github.zklock.sample.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.test.LockTester;
import io.github.zklock.test.ZkLockExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The example without Spring of docs/leader-election.md.
 */
@ExtendWith(ZkLockExtension.class)
class PlainLeaderTests {

	private final List<String> seen = new CopyOnWriteArrayList<>();

	@Test
	void oneLeadsAndTheOtherTakesOver(LockClient client, LockTester tester, CuratorFramework curator) {
		LeaderElection.Listener terms = new Duty(this.seen);
		LeaderElection.Listener othersTerms = new Duty(new CopyOnWriteArrayList<>());
		// tag::plain[]
		LeaderElection election = LeaderElection.of(client, "billing", terms);
		election.stand();
		// end::plain[]
		await().until(() -> this.seen.contains("granted"));
		LeaderElection other = LeaderElection.of(tester.rival(), "billing", othersTerms);
		other.stand();
		await("the other one is queued")
			.until(() -> curator.getChildren().forPath("/zk-lock/leader%2Fbilling").size() == 2);
		collect(election);
		collect(other);
		tester.expireSession();
		await().until(other::isLeader);
		other.close();
		await().until(() -> this.seen.size() == 4);
		election.close();
		await().until(() -> tester.isFree(LeaderElection.key("billing")));
		await().until(() -> this.seen.size() == 5);
		assertThat(this.seen).startsWith("granted")
			.containsSubsequence("granted", "collected", "revoked", "granted", "revoked");
	}

	// tag::enter[]
	void collect(LeaderElection election) {
		election.enter().ifPresent((leadership) -> {
			try (LockHandle handle = leadership) {
				store(handle.fencingToken());
			}
		});
	}
	// end::enter[]

	private void store(long token) {
		assertThat(token).isPositive();
		this.seen.add("collected");
	}

	private record Duty(List<String> seen) implements LeaderElection.Listener {

		@Override
		public void granted(long term) {
			this.seen.add("granted");
		}

		@Override
		public void revoked(long term) {
			this.seen.add("revoked");
		}

	}

}
