package io.github.zklock.benchmarks.jvm;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * How long it takes to enter and leave a lock that the thread holds already.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReentryBenchmark {

	private final LockRequest request = LockRequest.exclusive("reentry");

	private @Nullable LockHandle held;

	private @Nullable Lock view;

	private int entered;

	/**
	 * Takes the locks.
	 * @param server where
	 * @throws InterruptedException if interrupted
	 */
	@Setup(Level.Iteration)
	public void acquire(LocalServer server) throws InterruptedException {
		this.held = server.client().acquire(this.request);
		this.view = server.client().asLock("view");
		this.view.lock();
	}

	/**
	 * Gives them back.
	 */
	@TearDown(Level.Iteration)
	public void release() {
		Objects.requireNonNull(this.held).release();
		Objects.requireNonNull(this.view).unlock();
	}

	/**
	 * Enters and leaves by a handle.
	 * @param server where
	 * @throws InterruptedException if interrupted
	 */
	@Benchmark
	public void handle(LocalServer server) throws InterruptedException {
		LockClient client = server.client();
		client.acquire(this.request).release();
	}

	/**
	 * Enters and leaves by the view that is a {@code java.util.concurrent} lock.
	 * @return how often it was entered before
	 */
	@Benchmark
	public int view() {
		Lock lock = Objects.requireNonNull(this.view);
		lock.lock();
		try {
			return this.entered++;
		}
		finally {
			lock.unlock();
		}
	}

}
