package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.session.SessionSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a look at newcomers leaves behind. The client that looks holds nothing, so that it
 * watches nothing else.
 */
@Timeout(60)
class NewcomerWatchTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void i3WhoHasLeftWatchesNothingAndReportsNobody() throws Exception {
		LockHandle handle = this.zk.client().strategy("sequential").open().acquire(LockRequest.exclusive("orders"));
		SessionSource source = ((ZooKeeperLockClient) this.zk.client().session(Duration.ofMinutes(5)).open()).parts()
			.source();
		await().until(() -> source.current() != null);
		ContentionSource.Observer observer = new ZooKeeperContention(source).observe("orders");
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		observer.look(LockMode.EXCLUSIVE, seen::addAll);
		await().untilAsserted(() -> assertThat(seen).hasSize(1));
		assertThat(source.current().watches().count()).isEqualTo(1);
		observer.leave();
		await().until(() -> source.current().watches().count() == 0);
		handle.releaseAsync().join();
		LockHandle next = this.zk.client().strategy("sequential").open().acquire(LockRequest.exclusive("orders"));
		observer.look(LockMode.EXCLUSIVE, seen::addAll);
		assertThat(source.current().watches().count()).isZero();
		assertThat(seen).hasSize(1);
		next.release();
	}

}
