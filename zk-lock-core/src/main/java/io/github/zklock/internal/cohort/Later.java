package io.github.zklock.internal.cohort;

/**
 * Runs steps some time later.
 */
@FunctionalInterface
public interface Later {

	/**
	 * Runs a step.
	 * @param nanos in how many nanoseconds
	 * @param step a short step that does not block
	 * @return cancels the step, and then keeps nothing of it
	 */
	Runnable after(long nanos, Runnable step);

}
