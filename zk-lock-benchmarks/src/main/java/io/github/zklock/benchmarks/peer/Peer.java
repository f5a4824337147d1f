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

	@Override
	void close();

}
