package io.github.zklock.sample.docs;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.test.LockTester;
import io.github.zklock.test.ZkLockExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The example of docs/leader-election.md.
 */
@ExtendWith(ZkLockExtension.class)
class LeadershipTests {

	@Test
	void oneLeadsAndTheOtherTakesOver(LockClient client, LockTester tester) {
		Terms here = new Terms();
		Terms there = new Terms();
		try (Leadership first = new Leadership(client, here);
				Leadership second = new Leadership(tester.rival(), there)) {
			first.stand();
			await().until(here::isLeader);
			second.stand();
			assertThat(there.isLeader()).isFalse();
			tester.expireSession();
			await().until(() -> !here.isLeader() && there.isLeader());
			second.close();
			assertThat(there.isLeader()).isFalse();
			await().until(here::isLeader);
		}
		assertThat(here.isLeader()).isFalse();
		assertThat(tester.isFree("leader")).isTrue();
		assertThat(here.tokens()).hasSize(2).isSorted();
		assertThat(there.tokens()).singleElement()
			.satisfies((token) -> assertThat(token).isBetween(here.tokens().get(0), here.tokens().get(1)));
	}

	@Test
	void candidateThatIsClosedLeavesNothing(LockClient client, LockTester tester) {
		Terms here = new Terms();
		Terms there = new Terms();
		try (Leadership first = new Leadership(client, here)) {
			first.stand();
			await().until(here::isLeader);
			Leadership second = new Leadership(tester.rival(), there);
			second.stand();
			second.close();
		}
		await().until(() -> tester.isFree("leader"));
		assertThat(there.tokens()).isEmpty();
	}

	private static final class Terms implements Leadership.Duty {

		private final List<Long> tokens = new ArrayList<>();

		private boolean leader;

		@Override
		public synchronized void begin(long fencingToken) {
			this.tokens.add(fencingToken);
			this.leader = true;
		}

		@Override
		public synchronized void end() {
			this.leader = false;
		}

		synchronized boolean isLeader() {
			return this.leader;
		}

		synchronized List<Long> tokens() {
			return List.copyOf(this.tokens);
		}

	}

}
