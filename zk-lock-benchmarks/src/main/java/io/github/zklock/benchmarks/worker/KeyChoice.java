package io.github.zklock.benchmarks.worker;

/**
 * Which keys the threads want.
 */
public enum KeyChoice {

	/** All want the same one. */
	ONE,

	/** Each has its own, and wants them again and again. */
	OWN,

	/** Each wants one that nobody has ever wanted. */
	FRESH

}
