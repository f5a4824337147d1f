package io.github.zklock.benchmarks.peer;

import java.util.List;

import io.github.zklock.LockMode;

/**
 * A lock library in one process, connected.
 */
public interface Peer extends AutoCloseable {

	/**
	 * Makes what one thread locks with.
	 * @param keys the keys, taken at once
	 * @param mode in which mode
	 * @return what it locks with
	 */
	Guard guard(List<String> keys, LockMode mode);

	/**
	 * Makes what one thread takes one of several permits with.
	 * @param key the key
	 * @param permits how many there are
	 * @return what it takes it with
	 */
	default Guard permit(String key, int permits) {
		throw new UnsupportedOperationException("It has no permits");
	}

	/**
	 * Makes what one thread writes and then reads with: its lock is one to read when it
	 * was locked, and no writer was let in between.
	 * @param key the key
	 * @return what it locks with
	 */
	default Guard downgraded(String key) {
		throw new UnsupportedOperationException("It has no downgrade");
	}

	/**
	 * Makes what one thread locks two keys with, one to read and one to write.
	 * @param read the key to read
	 * @param write the key to write
	 * @return what it locks with
	 */
	default Guard readAndWrite(String read, String write) {
		throw new UnsupportedOperationException("It has no modes for several keys");
	}

	/**
	 * Makes what one thread runs a job with, again and again, but not twice within a
	 * millisecond.
	 * @param key the job
	 * @return what it runs it with
	 */
	default Guard job(String key) {
		throw new UnsupportedOperationException("It remembers no jobs");
	}

	/**
	 * Makes what one thread asks for a job with that has run, and is not to run again.
	 * @param key the job
	 * @return what it asks with; there is nothing to unlock
	 */
	default Guard refusedJob(String key) {
		throw new UnsupportedOperationException("It remembers no jobs");
	}

	@Override
	void close();

}
