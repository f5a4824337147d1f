package io.github.zklock.benchmarks.peer;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Lock;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

import io.github.zklock.LockMode;

/**
 * Spring Integration's registry, asked for the lock at every call, as is usual.
 */
final class SpringIntegrationPeer implements Peer {

	private final CuratorFramework curator;

	private final ZookeeperLockRegistry registry;

	SpringIntegrationPeer(Connection at) {
		this.curator = at.curator();
		this.registry = new ZookeeperLockRegistry(this.curator, at.root());
	}

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		return new RegistryGuard(this.registry, keys.get(0));
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.curator.close();
	}

	private static final class RegistryGuard implements Guard {

		private final ZookeeperLockRegistry registry;

		private final String key;

		private @Nullable Lock current;

		private RegistryGuard(ZookeeperLockRegistry registry, String key) {
			this.registry = registry;
			this.key = key;
		}

		@Override
		public void lock() {
			Lock lock = this.registry.obtain(this.key);
			lock.lock();
			this.current = lock;
		}

		@Override
		public void unlock() {
			Objects.requireNonNull(this.current).unlock();
		}

	}

}
