package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.zklock.internal.cohort.Cohorts;

/**
 * Brings acquisitions to cohorts, bounds nothing and warns of nobody.
 */
final class Unwarned {

	private Unwarned() {
	}

	static CohortAccess access(Cohorts cohorts) {
		Executor here = Runnable::run;
		return new CohortAccess(cohorts, new SlowWaitWarnings(Duration.ZERO, Duration.ZERO, here, () -> 0),
				Shares.none(), here);
	}

}
