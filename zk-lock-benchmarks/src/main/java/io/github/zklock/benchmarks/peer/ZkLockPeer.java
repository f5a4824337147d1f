package io.github.zklock.benchmarks.peer;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Our locks, as {@code LockClient} gives them.
 */
final class ZkLockPeer implements Peer {

	private final CuratorFramework curator;

	private final LockClient client;

	ZkLockPeer(Connection at, String strategy, Handoff handoff) {
		this.curator = at.curator();
		this.client = ZooKeeperLockClient.builder(this.curator)
			.root(at.root())
			.strategy(strategy)
			.handoff(handoff)
			.timeout(Duration.ofMinutes(5))
			.build();
	}

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		return new HandleGuard(this.client, LockRequest.keys(keys).mode(mode));
	}

	@Override
	public void close() {
		this.client.close();
		this.curator.close();
	}

	private static final class HandleGuard implements Guard {

		private final LockClient client;

		private final LockRequest request;

		private @Nullable LockHandle handle;

		private HandleGuard(LockClient client, LockRequest request) {
			this.client = client;
			this.request = request;
		}

		@Override
		public void lock() throws InterruptedException {
			this.handle = this.client.acquire(this.request);
		}

		@Override
		public void unlock() {
			Objects.requireNonNull(this.handle).release();
		}

		@Override
		public void unlockAndDrain() {
			Objects.requireNonNull(this.handle).releaseAsync().join();
		}

	}

}
