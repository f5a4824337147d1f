package io.github.zklock.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockInspector.Page;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The inspector's connection of its own: opened when it is needed, and closed when it is
 * not.
 */
@Timeout(120)
class InspectorConnectionTests extends InspectedShop {

	private ZooKeeperLockInspector inspector(Duration idle) {
		return new ZooKeeperLockInspector((ZooKeeperLockClient) this.a, this::newConnection, idle);
	}

	private CuratorFramework newConnection() {
		return CuratorFrameworkFactory.newClient(this.zk.servers().connectString(), new RetryOneTime(50));
	}

	@Test
	void oneThatIsNeverIdleIsClosedAllTheSame() throws Exception {
		try (ZooKeeperLockInspector lasting = inspector(Duration.ofSeconds(Long.MAX_VALUE))) {
			assertThat(lasting.line("orders").contenders()).isEmpty();
			Actor other = this.zk.actor();
			Actor.get(other.call(() -> {
				lasting.close();
				return true;
			}));
			assertThat(lasting.isConnected()).isFalse();
		}
	}

	@Test
	void theConnectionIsOpenedWhenItIsNeededAndClosedWhenItIsNot() {
		AtomicInteger opened = new AtomicInteger();
		try (ZooKeeperLockInspector shortLived = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a, () -> {
			opened.incrementAndGet();
			return newConnection();
		}, Duration.ofMillis(300))) {
			assertThat(opened).hasValue(0);
			shortLived.keys(0, 1);
			assertThat(opened).hasValue(1);
			await().until(() -> !shortLived.isConnected());
			assertThat(shortLived.keys(0, 1).lines()).isEmpty();
			assertThat(opened).hasValue(2);
		}
	}

	@Test
	void oneEndIsTimedHoweverManyAsk() {
		Timer timer = ((ZooKeeperLockClient) this.a).parts().source().timer();
		this.inspector.line("orders");
		int before = timer.count();
		for (int i = 0; i < 100; i++) {
			this.inspector.line("orders");
		}
		assertThat(timer.count()).isLessThan(before + 20);
	}

	@Test
	void noEndIsTimedOfWhatIsClosed() {
		Timer timer = ((ZooKeeperLockClient) this.a).parts().source().timer();
		int before = timer.count();
		for (int i = 0; i < 40; i++) {
			try (ZooKeeperLockInspector brief = inspector(Duration.ofHours(1))) {
				brief.line("orders");
			}
		}
		assertThat(timer.count()).isLessThan(before + 20);
	}

	@Test
	void aClosedInspectorAnswersNothing() {
		this.inspector.keys(0, 1);
		this.inspector.close();
		assertThat(this.inspector.isConnected()).isFalse();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.inspector.keys(0, 1));
	}

	@Test
	void whatClosesTheConnectionHasNothingOfTheCallersThread() {
		InheritableThreadLocal<String> callers = new InheritableThreadLocal<>();
		CompletableFuture<String> inherited = new CompletableFuture<>();
		CuratorFramework connection = newConnection();
		connection.getCuratorListenable().addListener((client, event) -> {
			if (event.getType() == CuratorEventType.CLOSING) {
				inherited.complete(callers.get());
			}
		});
		callers.set("the caller's");
		try (ZooKeeperLockInspector brief = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a, () -> connection,
				Duration.ofMinutes(1))) {
			brief.line("orders");
		}
		finally {
			callers.remove();
		}
		assertThat(inherited).succeedsWithin(Actor.PATIENCE).isNull();
	}

	// To close the connection must not end the interrupt.
	@Test
	void aCallThatWaitsForAServerEndsWhenTheInspectorIsClosed() {
		CountDownLatch asked = new CountDownLatch(1);
		ZooKeeperLockInspector waiting = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a, () -> {
			asked.countDown();
			return CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(50));
		}, Duration.ofMinutes(1));
		CompletableFuture<Page> page = this.zk.actor().call(() -> waiting.keys(0, 10));
		await().until(() -> asked.getCount() == 0);
		waiting.close();
		assertThat(page).failsWithin(Actor.PATIENCE)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("is closed");
	}

	@Test
	void theCloseDoesNotWaitForAServerThatDoesNotAnswer() throws Exception {
		LockHandle held = this.a.acquire(LockRequest.exclusive("orders"));
		ZooKeeperLockInspector waiting = inspector(Duration.ofMinutes(1));
		waiting.line("orders");
		Actor other = this.zk.actor();
		// Whoever has a node of the server stops its answers, behind the first one that
		// needs the node
		synchronized (this.zk.servers().running().get(0).getZKDatabase().getNode(this.zk.root())) {
			CompletableFuture<Page> page = other.call(() -> waiting.keys(0, 1));
			other.awaitBlocked();
			long began = System.nanoTime();
			waiting.close();
			assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
			assertThat(page).failsWithin(Actor.PATIENCE)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("is closed");
			assertThat(waiting.isConnected()).isFalse();
		}
		held.release();
	}

	@Test
	void whoIsInterruptedWhileAskingStaysInterruptedAndLeavesNoSession() {
		AtomicLong session = new AtomicLong();
		try (ZooKeeperLockInspector silent = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a,
				() -> listing((handle, callback) -> {
					session.set(handle.getSessionId());
					Thread.currentThread().interrupt();
				}), Duration.ofMinutes(1))) {
			assertThat(Actor.get(this.zk.actor().call(() -> {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> silent.keys(0, 1))
					.withMessageContaining("Interrupted");
				return Thread.currentThread().isInterrupted();
			}))).isTrue();
			assertThat(session).doesNotHaveValue(0);
			await().until(() -> !sessions().contains(session.get()));
		}
	}

	@Test
	void anAnswerWithAnUnknownCodeSaysNothing() {
		try (ZooKeeperLockInspector asking = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a,
				() -> listing((handle, callback) -> callback.processResult(-999, "/", null, null, null)),
				Duration.ofMinutes(1))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> asking.keys(0, 1))
				.withMessageContaining("SystemError");
		}
	}

	private CuratorFramework listing(BiConsumer<ZooKeeper, AsyncCallback.Children2Callback> list) {
		return CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.retryPolicy(new RetryOneTime(50))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new OtherLists(servers, timeout, watcher, list))
			.build();
	}

	private Collection<Long> sessions() {
		return this.zk.servers().running().get(0).getZKDatabase().getSessions();
	}

	@Test
	void aListThatIsTooLongForItsConnectionLeavesTheLocksConnectionAlone() throws Exception {
		LockHandle held = this.a.acquire(LockRequest.exclusive("k"));
		long session = this.zk.sessionOf(this.a);
		List<String> many = IntStream.range(0, 6000).mapToObj((i) -> this.zk.keyNode("long".repeat(49) + i)).toList();
		ZooKeeper zooKeeper = this.zk.curatorOf(this.b).getZookeeperClient().getZooKeeper();
		CountDownLatch created = new CountDownLatch(many.size());
		many.forEach((path) -> zooKeeper.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
				(rc, given, context, name) -> created.countDown(), null));
		created.await();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.inspector.keys(0, 10))
			.withMessageContaining("jute.maxbuffer");
		assertThat(this.inspector.isConnected()).isFalse();
		assertThat(this.inspector.line("k").contenders()).hasSize(1);
		assertThat(held.isHeld()).isTrue();
		assertThat(this.zk.sessionOf(this.a)).isEqualTo(session);
		this.a.acquire(LockRequest.exclusive("other")).release();
		held.release();
		CountDownLatch deleted = new CountDownLatch(many.size());
		many.forEach((path) -> zooKeeper.delete(path, -1, (rc, given, context) -> deleted.countDown(), null));
		deleted.await();
		assertThat(Arrays.asList(this.inspector.keys(0, 10).page())).containsExactly(0);
	}

	private static final class OtherLists extends ZooKeeper {

		private final BiConsumer<ZooKeeper, AsyncCallback.Children2Callback> list;

		OtherLists(String servers, int sessionTimeout, Watcher watcher,
				BiConsumer<ZooKeeper, AsyncCallback.Children2Callback> list) throws IOException {
			super(servers, sessionTimeout, watcher);
			this.list = list;
		}

		@Override
		public void getChildren(String path, Watcher watcher, AsyncCallback.Children2Callback callback,
				Object context) {
			this.list.accept(this, callback);
		}

	}

}
