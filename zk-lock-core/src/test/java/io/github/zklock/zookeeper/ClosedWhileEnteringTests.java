package io.github.zklock.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.contender.ContenderTerms;
import io.github.zklock.internal.contender.KeyShards;
import io.github.zklock.internal.contender.ZooKeeperContender;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A client is closed while the thread of a caller, which was admitted before, stands
 * still just before it makes its node. What is asked then is not answered for a while.
 */
@Timeout(60)
class ClosedWhileEnteringTests {

	private static final String KEY = "orders";

	private static final Duration LONG_SESSION = Duration.ofMinutes(1);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final CountDownLatch entering = new CountDownLatch(1);

	private final CountDownLatch mayEnter = new CountDownLatch(1);

	private final AtomicInteger lostAnswers = new AtomicInteger();

	private volatile boolean losing;

	private volatile ZooKeeperLockClient client;

	@ParameterizedTest
	@Tag("SessionSource.I3")
	@Tag("OpenAcquisitions.I3")
	@ValueSource(strings = { KEY, KEY + " stock" })
	void whoEntersBehindTheEndLeavesNothingAlthoughItsAnswersAreLost(String keys) throws Exception {
		this.zk.announce("has not yet confirmed the removal");
		LockRequest request = LockRequest.keys(List.of(keys.split(" ")));
		this.zk.client().open().acquire(request).releaseAsync().join();
		this.client = open();
		CompletableFuture<LockHandle> acquiring = this.zk.actor().call(() -> this.client.acquire(request));
		assertThat(this.entering.await(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		Stopwatch stopwatch = Stopwatch.start();
		this.client.close();
		stopwatch.assertBetween(Duration.ZERO, Duration.ofSeconds(3));

		this.losing = true;
		this.mayEnter.countDown();
		await("a node, and a look behind the lost answer").atMost(Actor.PATIENCE)
			.until(() -> this.lostAnswers.get() >= 2 && this.zk.contenders(KEY).size() == 1);
		this.losing = false;

		await("no node").atMost(Duration.ofSeconds(10)).until(() -> this.zk.contenders(KEY).isEmpty());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Actor.get(acquiring))
			.withMessageContaining("closed");
	}

	private ZooKeeperLockClient open() {
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder()
			.sessionTimeoutMs((int) LONG_SESSION.toMillis())
			.zookeeperFactory(new LosesAnswers()), this.zk.servers().connectString());
		ZooKeeperFixture.awaitConnected(curator);
		return this.zk.closing(ZooKeeperLockClient.builder(curator)
			.root(this.zk.root())
			.strategy("halting", new Halting())
			.strategy("halting")
			.build(), curator);
	}

	/** The thread that enters stands still before it does. */
	private final class Halting implements LockStrategy {

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			SessionSource source = ClosedWhileEnteringTests.this.client.parts().source();
			ClosedWhileEnteringTests.this.entering.countDown();
			try {
				assertThat(ClosedWhileEnteringTests.this.mayEnter.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			KeyShards shards = new KeyShards(source.clock(), source.failures());
			return new ZooKeeperContender(ContenderTerms.of(source, shards, attempt, false), listener).start();
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			throw new UnsupportedOperationException();
		}

	}

	/** Makes handles that handle transactions, and lose what the server says of them. */
	private final class LosesAnswers implements ZookeeperFactory {

		@Override
		public ZooKeeper newZooKeeper(String servers, int timeout, Watcher watcher, boolean readOnly)
				throws IOException {
			return new ZooKeeper(servers, timeout, watcher) {

				@Override
				public void multi(Iterable<Op> ops, AsyncCallback.MultiCallback callback, Object context) {
					super.multi(ops, (code, path, same, results) -> {
						if (ClosedWhileEnteringTests.this.losing) {
							ClosedWhileEnteringTests.this.lostAnswers.incrementAndGet();
							callback.processResult(Code.CONNECTIONLOSS.intValue(), path, same, null);
						}
						else {
							callback.processResult(code, path, same, results);
						}
					}, context);
				}

			};
		}

	}

}
