package io.github.zklock.zookeeper;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LeaderElection;
import io.github.zklock.fixture.Terms;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.OtherJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of the lead of another JVM that is killed, or leaves in order.
 */
@Timeout(60)
@Tag("slow")
class KilledLeaderTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final Terms terms = new Terms();

	@Test
	void aLeaderThatIsKilledIsReplacedWhenItsSessionEnds() {
		try (OtherJvm other = OtherJvm.start(LeadingJvm.class, this.zk.servers().connectString(), this.zk.root());
				LeaderElection election = candidateBehind(other)) {
			long term = Long.parseLong(other.read());
			election.stand();
			awaitBothAtTheKey();
			assertThat(election.isLeader()).isFalse();
			other.process().destroyForcibly();
			awaitTermAfter(term);
		}
	}

	@Test
	void aLeaderThatLeavesInOrderIsReplaced() {
		try (OtherJvm other = OtherJvm.start(LeadingJvm.class, this.zk.servers().connectString(), this.zk.root());
				LeaderElection election = candidateBehind(other)) {
			long term = Long.parseLong(other.read());
			election.stand();
			awaitBothAtTheKey();
			assertThat(election.isLeader()).isFalse();
			other.write("leave");
			assertThat(other.awaitExit()).isZero();
			awaitTermAfter(term);
		}
	}

	private LeaderElection candidateBehind(OtherJvm leader) {
		assertThat(leader.process().isAlive()).isTrue();
		return LeaderElection.of(this.zk.client().open(), LeadingJvm.ELECTION, this.terms);
	}

	private void awaitBothAtTheKey() {
		String key = LeaderElection.key(LeadingJvm.ELECTION).replace("/", "%2F");
		await("both candidates").atMost(Actor.PATIENCE).until(() -> this.zk.contenders(key).size() == 2);
	}

	private void awaitTermAfter(long term) {
		await().atMost(Actor.PATIENCE)
			.untilAsserted(() -> assertThat(this.terms.granted()).singleElement().matches((next) -> next > term));
	}

}
