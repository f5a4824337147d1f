package io.github.zklock.benchmarks.peer;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.github.zklock.LockMode;

/**
 * Redisson's locks with a fixed lease, as long as a session, so that no watchdog adds to
 * their cost.
 */
final class RedissonPeer implements Peer {

	private final RedissonClient redisson;

	private final String prefix;

	private final long leaseMillis;

	RedissonPeer(Connection at) {
		Config config = new Config();
		config.useSingleServer()
			.setAddress(at.servers())
			.setConnectionMinimumIdleSize(8)
			.setConnectionPoolSize(80)
			.setSubscriptionConnectionPoolSize(80);
		this.redisson = Redisson.create(config);
		this.prefix = at.root() + ":";
		this.leaseMillis = at.sessionMillis();
	}

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		RLock lock = lock(keys, mode);
		return new Guard() {

			@Override
			public void lock() {
				lock.lock(RedissonPeer.this.leaseMillis, TimeUnit.MILLISECONDS);
			}

			@Override
			public void unlock() {
				lock.unlock();
			}

		};
	}

	@Override
	public Guard permit(String key, int permits) {
		RPermitExpirableSemaphore semaphore = this.redisson.getPermitExpirableSemaphore(this.prefix + key);
		semaphore.trySetPermits(permits);
		return new Guard() {

			private @Nullable String id;

			@Override
			public void lock() throws InterruptedException {
				this.id = semaphore.acquire(RedissonPeer.this.leaseMillis, TimeUnit.MILLISECONDS);
			}

			@Override
			public void unlock() {
				semaphore.release(Objects.requireNonNull(this.id));
			}

		};
	}

	private RLock lock(List<String> keys, LockMode mode) {
		if (keys.size() > 1) {
			return this.redisson.getMultiLock(
					keys.stream().map((key) -> this.redisson.getLock(this.prefix + key)).toArray(RLock[]::new));
		}
		String name = this.prefix + keys.get(0);
		return switch (mode) {
			case EXCLUSIVE -> this.redisson.getLock(name);
			case READ -> this.redisson.getReadWriteLock(name).readLock();
			case WRITE -> this.redisson.getReadWriteLock(name).writeLock();
		};
	}

	@Override
	public void close() {
		this.redisson.shutdown();
	}

}
