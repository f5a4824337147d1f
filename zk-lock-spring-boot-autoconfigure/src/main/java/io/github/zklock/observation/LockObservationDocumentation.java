package io.github.zklock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of locks. No resolved key is in any of them.
 *
 * @since 0.1.0
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/** From the call that asks for a lock until it has it, or has given up. */
	WAIT("zk.lock.wait", "wait for lock"),

	/** From the moment when the lock was acquired until its release. */
	HOLD("zk.lock.hold", "hold lock");

	private final String observationName;

	private final String contextualName;

	LockObservationDocumentation(String observationName, String contextualName) {
		this.observationName = observationName;
		this.contextualName = contextualName;
	}

	@Override
	public String getName() {
		return this.observationName;
	}

	@Override
	public String getContextualName() {
		return this.contextualName;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return Attribute.values();
	}

	/**
	 * What an observation says.
	 *
	 * @since 0.1.0
	 */
	public enum Attribute implements KeyName {

		/**
		 * The key attribute of the annotation as it is written, or the request's
		 * template; {@code none} if there is neither.
		 */
		KEY("key"),

		/** The name of the strategy. */
		STRATEGY("strategy"),

		/** {@code EXCLUSIVE}, {@code READ} or {@code WRITE}. */
		MODE("mode"),

		/**
		 * How it ended: of a wait {@code acquired} or {@code failed}, of a hold
		 * {@code released} or {@code lost}. What still runs has none.
		 */
		OUTCOME("outcome");

		private final String keyName;

		Attribute(String keyName) {
			this.keyName = keyName;
		}

		@Override
		public String asString() {
			return this.keyName;
		}

	}

}
