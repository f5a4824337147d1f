package io.github.zklock.internal.cohort;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * A local grant that differs from another one only in how it is given back.
 */
interface WrappedGrant extends LocalGrant {

	LocalGrant held();

	@Override
	default String key() {
		return held().key();
	}

	@Override
	default LockMode mode() {
		return held().mode();
	}

	@Override
	default long token() {
		return held().token();
	}

	@Override
	default boolean isHandedOff() {
		return held().isHandedOff();
	}

	@Override
	default boolean isValid() {
		return held().isValid();
	}

	@Override
	default Grant grant() {
		return held().grant();
	}

	@Override
	default void downgrade() {
		held().downgrade();
	}

}
