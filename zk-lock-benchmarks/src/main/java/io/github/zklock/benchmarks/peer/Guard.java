package io.github.zklock.benchmarks.peer;

/**
 * What one thread locks with, again and again.
 */
public interface Guard {

	/**
	 * Acquires.
	 * @throws Exception if it cannot
	 */
	void lock() throws Exception;

	/**
	 * Releases, as a user would.
	 * @throws Exception if it cannot
	 */
	void unlock() throws Exception;

	/**
	 * Releases, and returns when the servers have answered everything that this thread
	 * has sent.
	 * @throws Exception if it cannot
	 */
	default void unlockAndDrain() throws Exception {
		unlock();
	}

}
