package io.github.zklock.benchmarks.run;

/**
 * Two were inside at once who should not have been.
 */
public final class ExclusionViolatedException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	ExclusionViolatedException(String message) {
		super(message);
	}

}
