package io.github.zklock.testing;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The check after each test must find what it is there to find.
 */
class LeftoversTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void anEmptyPlaceIsNotLeftOver() {
		this.zk.plant(this.zk.place("key"), CreateMode.CONTAINER);
		assertThat(Leftovers.nodes(this.zk.servers(), this.zk.root())).isEmpty();
	}

	@Test
	void anEphemeralNodeAtAPlaceIsFound() {
		this.zk.plant(this.zk.place("key"), CreateMode.EPHEMERAL);
		assertThat(Leftovers.nodes(this.zk.servers(), this.zk.root())).singleElement()
			.asString()
			.contains(this.zk.place("key"));
	}

	@Test
	void anyNodeBelowAPlaceIsFound() {
		this.zk.plant(this.zk.place("key/x-lock-0000000000"), CreateMode.PERSISTENT);
		assertThat(Leftovers.nodes(this.zk.servers(), this.zk.root())).singleElement()
			.asString()
			.contains("x-lock-0000000000");
	}

	@Test
	void everyWatchIsFoundOnBothSides() throws Exception {
		String path = this.zk.plant(this.zk.place("key"), CreateMode.PERSISTENT);
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
		handle.getData(path, new Ignore(), null);
		handle.getChildren(path, new Ignore());
		handle.exists(path + "-missing", new Ignore());
		assertThat(Leftovers.clientWatches(handle)).hasSize(3);
		assertThat(Leftovers.serverWatches(this.zk.servers(), this.zk.root())).hasSize(2)
			.allMatch((line) -> line.contains("%x".formatted(handle.getSessionId())));
		handle.removeAllWatches(path, Watcher.WatcherType.Any, false);
		handle.removeAllWatches(path + "-missing", Watcher.WatcherType.Any, false);
		assertThat(Leftovers.clientWatches(handle)).isEmpty();
		assertThat(Leftovers.serverWatches(this.zk.servers(), this.zk.root())).isEmpty();
	}

	@Test
	void aThreadOfTheEngineIsFound() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		Set<Thread> before = Leftovers.engineThreads();
		Thread thread = planted(end);
		assertThat(Leftovers.threads(before)).containsExactly("thread zk-lock-planted");
		assertThat(Leftovers.threads(Leftovers.engineThreads())).isEmpty();
		end.countDown();
		thread.join(Duration.ofSeconds(10).toMillis());
		assertThat(Leftovers.threads(before)).isEmpty();
	}

	@Test
	void aWarningThatWasNotAnnouncedIsFound() {
		try (Warnings warnings = new Warnings()) {
			this.zk.announce("planted");
			LoggerFactory.getLogger("io.github.zklock.testing").warn("planted warning");
			LoggerFactory.getLogger("io.github.zklock.testing").info("planted information");
			assertThat(warnings.except(List.of())).singleElement()
				.asString()
				.startsWith("logged WARN: planted warning");
			assertThat(warnings.except(List.of("planted"))).isEmpty();
		}
	}

	@Test
	void everythingIsDeletedAfterTheTestThatPlantedIt() {
		ZooKeeperFixture inner = ZooKeeperFixture.on(this.zk::servers);
		inner.start();
		inner.plant(inner.place("key/x-lock-0000000000"), CreateMode.PERSISTENT);
		assertThat(inner.finish(Duration.ofMillis(50))).isEmpty();
		assertThat(this.zk.servers().nodes(inner.root())).isEmpty();
	}

	@Test
	void whatWasNotPlantedFailsTheTest() throws Exception {
		ZooKeeperFixture inner = ZooKeeperFixture.on(this.zk::servers);
		inner.start();
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		curator.create().creatingParentsIfNeeded().forPath(inner.place("key/x-lock-0000000000"));
		assertThat(inner.finish(Duration.ofMillis(50))).isNotEmpty()
			.allMatch((line) -> line.contains("x-lock-0000000000"));
	}

	@Test
	void anEntryInAMapOfAClientFailsTheTest() throws Exception {
		this.zk.announce("lost: its lock client was closed");
		ZooKeeperFixture inner = ZooKeeperFixture.on(this.zk::servers);
		inner.start();
		LockHandle handle = inner.client().open().acquire(LockRequest.exclusive("key"));
		assertThat(inner.finish(Duration.ofMillis(50))).anyMatch((line) -> line.contains("entries in the maps"));
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void aThreadThatGoesOnFailsTheTest() throws Exception {
		ZooKeeperFixture inner = ZooKeeperFixture.on(this.zk::servers);
		inner.start();
		CountDownLatch end = new CountDownLatch(1);
		Thread thread = planted(end);
		assertThat(inner.finish(Duration.ofMillis(50))).containsExactly("thread zk-lock-planted");
		end.countDown();
		thread.join(Duration.ofSeconds(10).toMillis());
	}

	private static Thread planted(CountDownLatch end) {
		Thread thread = new Thread(() -> {
			try {
				end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "zk-lock-planted");
		thread.start();
		return thread;
	}

	private static final class Ignore implements Watcher {

		@Override
		public void process(WatchedEvent event) {
		}

	}

}
