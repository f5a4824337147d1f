package io.github.zklock.benchmarks.worker;

/**
 * What a load wants of its keys.
 */
public enum Use {

	/** Locks: exclusive ones, or some to read and some to write. */
	LOCK,

	/** One of some permits. */
	PERMIT,

	/** A lock to write that becomes one to read. */
	DOWNGRADE,

	/** The first key to read, the second one to write, both at once. */
	READ_AND_WRITE,

	/** A run of a job that has not run for a millisecond. */
	JOB,

	/** A job that has just run, so that it is refused. */
	REFUSED_JOB

}
