package io.github.zklock.aop;

import org.jspecify.annotations.Nullable;

/**
 * A method's {@link io.github.zklock.DistributedLock @DistributedLock} cannot do what it
 * says. Thrown when the bean is created, so that the context does not start.
 *
 * @since 0.1.0
 */
public class InvalidLockDefinitionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	/**
	 * Creates an exception.
	 * @param problem what is wrong: a full sentence that names class, method, attribute
	 * and value
	 * @param remedy what to change: a full sentence
	 * @param cause what happened below, or null
	 */
	public InvalidLockDefinitionException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem + " " + remedy, cause);
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Returns what is wrong.
	 * @return a full sentence
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Returns what to change.
	 * @return a full sentence
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
