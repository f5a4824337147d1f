package io.github.zklock.benchmarks.jvm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

import io.github.zklock.LockRequest;

/**
 * How many times in a second the threads of one JVM hand the lock of one key off to each
 * other, beside the fair lock of {@code java.util.concurrent}, which no other JVM sees.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class HandoffBenchmark {

	private final LockRequest request = LockRequest.exclusive("handoff");

	private final ReentrantLock fair = new ReentrantLock(true);

	private int passed;

	/**
	 * Two threads.
	 * @param server where
	 * @throws InterruptedException if interrupted
	 */
	@Benchmark
	@Threads(2)
	public void two(LocalServer server) throws InterruptedException {
		server.client().acquire(this.request).release();
	}

	/**
	 * Sixteen threads.
	 * @param server where
	 * @throws InterruptedException if interrupted
	 */
	@Benchmark
	@Threads(16)
	public void sixteen(LocalServer server) throws InterruptedException {
		server.client().acquire(this.request).release();
	}

	/**
	 * Sixteen threads at a fair lock of the JVM.
	 * @return how many were there before
	 */
	@Benchmark
	@Threads(16)
	public int sixteenAtFairReentrantLock() {
		this.fair.lock();
		try {
			return this.passed++;
		}
		finally {
			this.fair.unlock();
		}
	}

}
