package io.github.zklock.internal.client;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.EndlessGrant;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an owner enters again whose first hold of a key goes just then.
 */
class HoldsTests {

	private final Holds holds = new Holds(new StepFailures());

	private final Hold second = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));

	@Test
	void i1TheSecondHoldIsEntered() {
		prepare();
		assertThat(this.holds.enter("owner", LockRequest.read("key"))).containsExactly(this.second);
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "WRITE" })
	void whoAsksForMoreThanItsSecondHoldIsRefused(LockMode asked) {
		prepare();
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> this.holds.enter("owner", LockRequest.exclusive("key").mode(asked)));
	}

	@Test
	void whatNobodyHasAnyMoreIsNotEntered() {
		prepare();
		this.second.exit(LockMode.READ);
		assertThat(this.holds.enter("owner", LockRequest.read("key"))).isEmpty();
	}

	private void prepare() {
		this.holds.add(new Hold(this.holds, "owner", new GoingGrant()));
		this.holds.add(this.second);
	}

	/** Is found, and left before it is entered. */
	private final class GoingGrant extends MemoryLocalGrant {

		private GoingGrant() {
			super(LockMode.READ);
		}

		@Override
		public Grant grant() {
			HoldsTests.this.holds.find("owner", "key").exit(LockMode.READ);
			return new EndlessGrant(0);
		}

	}

}
