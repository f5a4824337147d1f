package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What becomes of a step of a cohort that fails.
 */
class CohortSiteTests {

	private final CommonSite common = new CommonSite((nanos, step) -> () -> {
	}, () -> 0, () -> true, new StepFailures(), 0);

	private final CohortSite site = new CohortSite(this.common, null, "key", "key", Handoff.DEFAULT, Runnable::run);

	private final List<Throwable> ends = new ArrayList<>();

	@Test
	void aStepThatFailsHasAnEndOfItsOwn() {
		RuntimeException failure = new RuntimeException("planted");
		CohortSite decorated = this.site.of(this, (cause) -> this.ends.add(null), () -> {
		}, () -> {
		});
		decorated.orElse(this.ends::add).execute(() -> {
			throw failure;
		});
		assertThat(this.ends).containsExactly(failure);
	}

	@Test
	void anEndOfItsOwnIsNotForgottenWhereStepsMayNotFail() {
		assertThatIllegalStateException().isThrownBy(() -> this.site.orElse(this.ends::add))
			.withMessageContaining("'key'");
	}

}
