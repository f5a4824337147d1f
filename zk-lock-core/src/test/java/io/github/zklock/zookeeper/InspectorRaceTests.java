package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What the inspector shows while holders change between its requests. Each change is made
 * at the same moment in each run.
 */
@Timeout(60)
class InspectorRaceTests {

	private static final String KEY = "k";

	private static final LockRequest NAIVE = LockRequest.exclusive(KEY).strategy("naive");

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final ReadingMoments moments = new ReadingMoments();

	private LockClient here;

	private LockClient elsewhere;

	private ZooKeeperLockInspector inspector;

	@BeforeEach
	void open() {
		this.here = this.zk.client().open();
		this.elsewhere = this.zk.client().open();
		this.inspector = new ZooKeeperLockInspector((ZooKeeperLockClient) this.here,
				() -> CuratorFrameworkFactory.builder()
					.connectString(this.zk.servers().connectString())
					.retryPolicy(new RetryOneTime(50))
					.zookeeperFactory(this.moments)
					.build(),
				Duration.ofMinutes(1));
	}

	@AfterEach
	void close() {
		this.inspector.close();
	}

	private static LockHandle change(LockHandle from, LockClient to, LockRequest request) throws InterruptedException {
		from.releaseAsync().join();
		return to.acquire(request);
	}

	private AtomicReference<LockHandle> aKeyNodeTakesTheHoldersPathBeforeThatIsRead() throws Exception {
		LockHandle naive = this.zk.client().open().acquire(NAIVE);
		AtomicReference<LockHandle> next = new AtomicReference<>();
		this.moments.beforeRead(this.zk.keyNode(KEY), () -> {
			next.set(change(naive, this.elsewhere, LockRequest.exclusive(KEY)));
			return true;
		});
		return next;
	}

	@Test
	void aKeyNodeIsNoHolder() throws Exception {
		AtomicReference<LockHandle> next = aKeyNodeTakesTheHoldersPathBeforeThatIsRead();
		assertThat(this.inspector.line(KEY).contenders()).extracting(Contender::path)
			.containsExactlyElementsOf(this.zk.contenders(KEY))
			.doesNotContain(this.zk.keyNode(KEY));
		next.get().release();
	}

	// Until its client knows the new name
	private static boolean downgrade(LockHandle writer, String node, LockClient client) {
		writer.downgrade();
		await().until(() -> !((ZooKeeperLockClient) client).parts().source().current().held().isHeldBy(node));
		return true;
	}

	@Test
	void whoWaitsForAWriterThatIsDowngradedMeanwhileIsNoHolder() throws Exception {
		LockHandle writer = this.elsewhere.acquire(LockRequest.write(KEY));
		String node = this.zk.contenders(KEY).get(0);
		LockClient waiter = this.zk.client().open();
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(LockRequest.write(KEY));
		this.zk.awaitWaiting(waiter, KEY);
		this.moments.beforeRead(node, () -> downgrade(writer, node, this.elsewhere));
		assertThat(this.inspector.line(KEY).contenders()).extracting(Contender::mode, Contender::holds)
			.containsExactly(tuple(LockMode.READ, true), tuple(LockMode.WRITE, false));
		writer.release();
		Actor.get(waiting).release();
	}

}
