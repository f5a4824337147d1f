package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a listener is not notified of any more.
 */
class ContenderReportsTests implements ContenderReports.Host {

	private final NotingListener listener = new NotingListener();

	private final ContenderReports reports = new ContenderReports(ContenderTerms.of(Engines.source(), Engines.shards(),
			new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller"), false), this.listener, this);

	private final Grant grant = UnenteredLockNodes.in(HandPlayedZooKeeper.HANDLE.session(() -> 0, Engines.TIMER))
		.grant();

	@Test
	@Tag("ZooKeeperContender.I1")
	void onlyWhatWasGrantedIsLost() {
		this.reports.lost(this.grant, LostReason.SESSION_ENDED);
		assertThat(this.listener.notes()).isEmpty();
		this.reports.granted(List.of(this.grant));
		this.reports.lost(this.grant, LostReason.SESSION_ENDED);
		assertThat(this.listener.notes()).containsExactly("granted", "lost");
	}

	@Test
	@Tag("ZooKeeperContender.I1")
	void afterTheEndNothingIsReported() {
		this.reports.granted(List.of(this.grant));
		this.reports.close();
		reportAll();
		assertThat(this.listener.notes()).containsExactly("granted");
	}

	@Test
	@Tag("ZooKeeperContender.I1")
	void aFailureIsTheLastThatIsReported() {
		this.reports.fail(Code.NOAUTH, "/locks/key");
		reportAll();
		assertThat(this.listener.notes()).containsExactly("failed");
	}

	private void reportAll() {
		this.reports.blocked(new Blocker("key", "somebody", true, null));
		this.reports.disturbed(Code.CONNECTIONLOSS, "/locks/key");
		this.reports.refused(Code.NOAUTH, "/locks/key");
		this.reports.unsendable(new IllegalStateException("planted"));
		this.reports.lost(this.grant, LostReason.SESSION_ENDED);
	}

	@Override
	public void leaveNow() {
	}

	@Override
	public void over() {
	}

}
