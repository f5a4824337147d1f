package io.github.zklock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains a {@link ZkLockStartupException}, before what it is the cause of is explained.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ZkLockStartupFailureAnalyzer extends AbstractFailureAnalyzer<ZkLockStartupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ZkLockStartupException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
