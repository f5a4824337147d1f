package io.github.zklock.benchmarks.peer;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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
	public Guard permit(String key, int permits) {
		return new HandleGuard(this.client, LockRequest.permits(key, permits));
	}

	@Override
	public Guard downgraded(String key) {
		return new HandleGuard(this.client, LockRequest.write(key)) {
			@Override
			public void lock() throws InterruptedException {
				super.lock();
				handle().downgrade();
			}
		};
	}

	@Override
	public Guard readAndWrite(String read, String write) {
		return new HandleGuard(this.client, LockRequest.read(read).and(LockRequest.write(write)));
	}

	@Override
	public Guard job(String key) {
		LockClient runs = this.client.notAgainWithin(Duration.ofMillis(1), false);
		return new HandleGuard(runs, LockRequest.exclusive(key)) {
			@Override
			public void lock() throws InterruptedException {
				Optional<LockHandle> run = Optional.empty();
				while (run.isEmpty()) {
					run = runs.tryAcquire(this.request);
				}
				this.handle = run.get();
			}
		};
	}

	@Override
	public Guard refusedJob(String key) {
		LockClient runs = this.client.notAgainWithin(Duration.ofDays(1), false);
		LockRequest request = LockRequest.exclusive(key);
		return new Guard() {

			@Override
			public void lock() throws InterruptedException {
				runs.tryAcquire(request).ifPresent((first) -> first.releaseAsync().join());
			}

			@Override
			public void unlock() {
				// It was refused
			}

		};
	}

	@Override
	public void close() {
		this.client.close();
		this.curator.close();
	}

	private static class HandleGuard implements Guard {

		private final LockClient client;

		final LockRequest request;

		@Nullable LockHandle handle;

		private HandleGuard(LockClient client, LockRequest request) {
			this.client = client;
			this.request = request;
		}

		@Override
		public void lock() throws InterruptedException {
			this.handle = this.client.acquire(this.request);
		}

		LockHandle handle() {
			return Objects.requireNonNull(this.handle);
		}

		@Override
		public void unlock() {
			handle().release();
		}

		@Override
		public void unlockAndDrain() {
			handle().releaseAsync().join();
		}

	}

}
