package io.github.zklock.internal.cohort;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.zklock.spi.Grant;

/**
 * What is known of other clients' contenders that are queued behind a grant. A part of
 * {@link CohortGrant}, in the cohort's serial executor.
 */
final class OtherContenders {

	/*-
	 * UNKNOWN -> ASKED -> NOBODY -> CONTENDED; ASKED -> CONTENDED.
	 *
	 * Once the strategy was asked who is queued behind the grant, it reports who comes. The answer comes
	 * with the end of the lease at the latest.
	 */

	private enum Known {

		UNKNOWN, ASKED, NOBODY, CONTENDED

	}

	private final Grant grant;

	private final Executor steps;

	private final Consumer<Boolean> seen;

	private Known known = Known.UNKNOWN;

	/**
	 * Creates what nothing is known of.
	 * @param grant the grant
	 * @param steps runs steps as long as the grant is not being released
	 * @param seen a step that gets what is known from now on: whether others wait
	 */
	OtherContenders(Grant grant, Executor steps, Consumer<Boolean> seen) {
		this.grant = grant;
		this.steps = steps;
		this.seen = seen;
	}

	boolean isUnseen() {
		return this.known == Known.UNKNOWN || this.known == Known.ASKED;
	}

	boolean isAlone() {
		return this.known == Known.NOBODY;
	}

	boolean isContended() {
		return this.known == Known.CONTENDED;
	}

	/** Asks who is queued, and to be notified of who comes, unless that was done. */
	void look() {
		if (this.known == Known.UNKNOWN) {
			this.known = Known.ASKED;
			this.grant.whenContended().whenComplete((nothing, failure) -> this.steps.execute(() -> saw(true)));
			this.grant.isContended()
				.exceptionally((failure) -> true)
				.thenAccept((contended) -> this.steps.execute(() -> {
					if (this.known == Known.ASKED) {
						saw(contended);
					}
				}));
		}
	}

	private void saw(boolean contended) {
		boolean first = this.known == Known.ASKED;
		this.known = contended ? Known.CONTENDED : Known.NOBODY;
		this.seen.accept(first);
	}

}
