package io.github.zklock.internal.cohort;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
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
	 * with the end of the lease at the latest. What cannot be brought to the serial executor is brought again
	 * after a pause.
	 */

	private enum Known {

		UNKNOWN, ASKED, NOBODY, CONTENDED

	}

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

	private final Grant grant;

	private final CohortSite site;

	private final Executor steps;

	private final Consumer<Boolean> seen;

	private Known known = Known.UNKNOWN;

	/**
	 * Creates what nothing is known of.
	 * @param grant the grant
	 * @param site the cohort's timer
	 * @param steps runs steps as long as the grant is not being released
	 * @param seen a step that gets what is known from now on: whether others wait
	 */
	OtherContenders(Grant grant, CohortSite site, Executor steps, Consumer<Boolean> seen) {
		this.grant = grant;
		this.site = site;
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
			Runnable came = () -> saw(true);
			Runnable there = () -> answered(true);
			Runnable nobody = () -> answered(false);
			this.grant.whenContended().whenComplete((nothing, failure) -> bring(came));
			this.grant.isContended()
				.exceptionally((failure) -> true)
				.thenAccept((contended) -> bring(contended ? there : nobody));
		}
	}

	// What is thrown here would go into a future that nobody reads
	private void bring(Runnable step) {
		try {
			this.steps.execute(step);
		}
		catch (Throwable ex) {
			this.site.failures().report(this, ex);
			this.site.common().after(PAUSE_NANOS, () -> bring(step));
		}
	}

	private void answered(boolean contended) {
		if (this.known == Known.ASKED) {
			saw(contended);
		}
	}

	private void saw(boolean contended) {
		boolean first = this.known == Known.ASKED;
		this.known = contended ? Known.CONTENDED : Known.NOBODY;
		this.seen.accept(first);
	}

}
