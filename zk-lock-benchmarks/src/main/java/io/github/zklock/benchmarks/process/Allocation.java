package io.github.zklock.benchmarks.process;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

/**
 * Reads how much the threads of a JVM have allocated. Those that have ended are left out,
 * so it is exact where threads stay.
 */
public final class Allocation {

	private Allocation() {
	}

	/**
	 * Adds up what the threads of this JVM have allocated so far.
	 * @return bytes
	 */
	public static long bytes() {
		return bytes(ManagementFactory.getPlatformMXBean(ThreadMXBean.class));
	}

	/**
	 * Adds up what threads have allocated so far.
	 * @param threads the threads of this or another JVM
	 * @return bytes
	 */
	public static long bytes(ThreadMXBean threads) {
		long sum = 0;
		// Of a thread that has ended in between it is -1
		for (long allocated : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
			sum += Math.max(0, allocated);
		}
		return sum;
	}

}
