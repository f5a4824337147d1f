package io.github.zklock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.github.zklock.aop.InvalidLockDefinitionException;

/**
 * Explains an {@link InvalidLockDefinitionException}.
 */
final class InvalidLockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDefinitionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDefinitionException cause) {
		return new FailureAnalysis(cause.getProblem(), cause.getRemedy(), cause);
	}

}
