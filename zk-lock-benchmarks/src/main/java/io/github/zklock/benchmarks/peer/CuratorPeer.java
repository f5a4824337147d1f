package io.github.zklock.benchmarks.peer;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;

/**
 * Curator's recipes.
 */
final class CuratorPeer implements Peer {

	private final CuratorFramework curator;

	private final String root;

	private final Map<String, InterProcessSemaphoreV2> semaphores = new ConcurrentHashMap<>();

	private final Map<String, InterProcessReadWriteLock> readWriteLocks = new ConcurrentHashMap<>();

	private final BiFunction<List<String>, LockMode, Supplier<InterProcessLock>> locks;

	private CuratorPeer(Connection at, Function<CuratorFramework, Recipe> recipe) {
		this.curator = at.curator();
		this.root = at.root();
		Recipe made = recipe.apply(this.curator);
		this.locks = (keys, mode) -> made.locks(keys.stream().map((key) -> at.root() + "/" + key).toList(), mode);
	}

	static Peer sharedMutex(Connection at) {
		Map<String, InterProcessMutex> known = new ConcurrentHashMap<>();
		return new CuratorPeer(at, (curator) -> (paths, mode) -> {
			InterProcessMutex mutex = known.computeIfAbsent(paths.get(0),
					(path) -> new InterProcessMutex(curator, path));
			return () -> mutex;
		});
	}

	static Peer mutexPerCall(Connection at) {
		return new CuratorPeer(at, (curator) -> (paths, mode) -> () -> new InterProcessMutex(curator, paths.get(0)));
	}

	static Peer sharedReadWriteLock(Connection at) {
		Map<String, InterProcessReadWriteLock> known = new ConcurrentHashMap<>();
		return new CuratorPeer(at, (curator) -> (paths, mode) -> {
			InterProcessReadWriteLock lock = known.computeIfAbsent(paths.get(0),
					(path) -> new InterProcessReadWriteLock(curator, path));
			return () -> side(lock, mode);
		});
	}

	static Peer readWriteLockPerCall(Connection at) {
		return new CuratorPeer(at,
				(curator) -> (paths, mode) -> () -> side(new InterProcessReadWriteLock(curator, paths.get(0)), mode));
	}

	static Peer multiLock(Connection at) {
		return new CuratorPeer(at, (curator) -> (paths, mode) -> {
			InterProcessLock lock = new InterProcessMultiLock(curator, paths);
			return () -> lock;
		});
	}

	private static InterProcessLock side(InterProcessReadWriteLock lock, LockMode mode) {
		return (mode == LockMode.READ) ? lock.readLock() : lock.writeLock();
	}

	@Override
	public Guard permit(String key, int permits) {
		return new SemaphoreGuard(this.semaphores.computeIfAbsent(key,
				(same) -> new InterProcessSemaphoreV2(this.curator, this.root + "/" + same, permits)));
	}

	@Override
	public Guard downgraded(String key) {
		InterProcessReadWriteLock lock = readWriteLock(key);
		return new Guard() {

			@Override
			public void lock() throws Exception {
				lock.writeLock().acquire();
				lock.readLock().acquire();
				lock.writeLock().release();
			}

			@Override
			public void unlock() throws Exception {
				lock.readLock().release();
			}

		};
	}

	@Override
	public Guard readAndWrite(String read, String write) {
		InterProcessLock both = new InterProcessMultiLock(
				List.of(readWriteLock(read).readLock(), readWriteLock(write).writeLock()));
		return new RecipeGuard(() -> both);
	}

	private InterProcessReadWriteLock readWriteLock(String key) {
		return this.readWriteLocks.computeIfAbsent(key,
				(same) -> new InterProcessReadWriteLock(this.curator, this.root + "/" + same));
	}

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		return new RecipeGuard(this.locks.apply(keys, mode));
	}

	@Override
	public void close() {
		this.curator.close();
	}

	/**
	 * Which objects are used for which nodes.
	 */
	private interface Recipe {

		Supplier<InterProcessLock> locks(List<String> paths, LockMode mode);

	}

	private static final class SemaphoreGuard implements Guard {

		private final InterProcessSemaphoreV2 semaphore;

		private @Nullable Lease lease;

		private SemaphoreGuard(InterProcessSemaphoreV2 semaphore) {
			this.semaphore = semaphore;
		}

		@Override
		public void lock() throws Exception {
			this.lease = this.semaphore.acquire();
		}

		@Override
		public void unlock() {
			this.semaphore.returnLease(Objects.requireNonNull(this.lease));
		}

	}

	private static final class RecipeGuard implements Guard {

		private final Supplier<InterProcessLock> locks;

		private @Nullable InterProcessLock current;

		private RecipeGuard(Supplier<InterProcessLock> locks) {
			this.locks = locks;
		}

		@Override
		public void lock() throws Exception {
			InterProcessLock lock = this.locks.get();
			lock.acquire();
			this.current = lock;
		}

		@Override
		public void unlock() throws Exception {
			Objects.requireNonNull(this.current).release();
		}

	}

}
