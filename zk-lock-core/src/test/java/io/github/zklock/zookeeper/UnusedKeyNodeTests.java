package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who made key nodes and then gave up leaves nothing that stays, and touches nobody.
 */
@Timeout(60)
class UnusedKeyNodeTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	@Tag("NodeCreation.I3")
	void givingUpBehindAPlainNodeLeavesThatNodeAlone() throws Exception {
		LockClient naive = this.zk.client().strategy("naive").open();
		LockClient sequential = this.zk.client().strategy("sequential").open();
		LockClient third = this.zk.client().strategy("naive").open();
		try (LockHandle holder = naive.acquire(LockRequest.exclusive("held"))) {
			InVain.of(() -> sequential
				.acquire(LockRequest.keys(List.of("never-used", "held")).timeout(Duration.ofMillis(300))));
			await().until(() -> isReapable(this.zk.curatorOf(sequential), this.zk.keyNode("never-used")));
			assertThat(OneTry.of(third, LockRequest.exclusive("held"))).isEmpty();
			assertThat(holder.isHeld()).isTrue();
		}
	}

	@Test
	@Tag("NodeCreation.I3")
	void aKeyNodeThatMayNeverBeUsedIsReapableFromTheBeginning() throws Exception {
		LockClient naive = this.zk.client().strategy("naive").open();
		LockClient sequential = this.zk.client().strategy("sequential").open();
		CuratorFramework looking = this.zk.curatorOf(naive);
		try (LockHandle holder = naive.acquire(LockRequest.exclusive("held"))) {
			CompletableFuture<LockHandle> waiting = sequential
				.acquireAsync(LockRequest.keys(List.of("never-used", "held")));
			await().until(() -> looking.checkExists().forPath(this.zk.keyNode("never-used")) != null);
			assertThat(isReapable(looking, this.zk.keyNode("never-used"))).isTrue();
			assertThat(waiting).isNotDone();
			waiting.cancel(false);
			assertThat(holder.isHeld()).isTrue();
		}
	}

	/** Servers reap an empty container only if it ever had a child. */
	private static boolean isReapable(CuratorFramework curator, String keyNode) throws Exception {
		Stat stat = curator.checkExists().forPath(keyNode);
		return stat != null && stat.getCversion() > 0 && stat.getNumChildren() == 0;
	}

}
