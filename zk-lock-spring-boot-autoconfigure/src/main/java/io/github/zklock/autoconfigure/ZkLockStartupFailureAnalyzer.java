package io.github.zklock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a {@link ZkLockStartupException}.
 */
final class ZkLockStartupFailureAnalyzer extends AbstractFailureAnalyzer<ZkLockStartupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ZkLockStartupException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
