package io.github.zklock.testing;

import java.time.Duration;

import org.awaitility.Awaitility;

/**
 * How Awaitility waits in our tests: it looks at once, and often, and for as long as a
 * busy machine may need.
 */
public final class PatientAwaitility {

	private PatientAwaitility() {
	}

	/**
	 * Sets its defaults, for the whole JVM.
	 */
	public static void setDefaults() {
		Awaitility.setDefaultPollDelay(Duration.ZERO);
		Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
		Awaitility.setDefaultTimeout(Actor.PATIENCE);
	}

}
