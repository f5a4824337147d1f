package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;

/**
 * What one caller has of a grant.
 */
final class CallerGrant implements LocalGrant {

	/*-
	 * Any thread asks and releases; the cohort's or the contender's serial executor does the
	 * rest.
	 *
	 * I1: after `release` it is never valid, although the grant may be: it is another caller's.
	 */

	private final Grant grant;

	private final long token;

	private final boolean handedOff;

	private final Function<Boolean, CompletionStage<Void>> releasing;

	private final Supplier<CompletionStage<Void>> forfeiting;

	private final Runnable downgrading;

	private final @Nullable GrantGroup group;

	private final AtomicBoolean released = new AtomicBoolean();

	CallerGrant(Grant grant, long token, boolean handedOff, Function<Boolean, CompletionStage<Void>> releasing,
			Supplier<CompletionStage<Void>> forfeiting, Runnable downgrading) {
		this(grant, token, handedOff, releasing, forfeiting, downgrading, null);
	}

	private CallerGrant(Grant grant, long token, boolean handedOff, Function<Boolean, CompletionStage<Void>> releasing,
			Supplier<CompletionStage<Void>> forfeiting, Runnable downgrading, @Nullable GrantGroup group) {
		this.grant = grant;
		this.token = token;
		this.handedOff = handedOff;
		this.releasing = releasing;
		this.forfeiting = forfeiting;
		this.downgrading = downgrading;
		this.group = group;
	}

	/**
	 * Creates the local grant of a caller who has a grant alone, from its beginning to
	 * its end.
	 * @param grant the grant
	 * @param failures is notified of what its release throws
	 * @param group those that were granted together; null for one by itself
	 * @return the local grant
	 */
	static LocalGrant whole(Grant grant, StepFailures failures, @Nullable GrantGroup group) {
		Supplier<CompletionStage<Void>> releasing = () -> EnteredContender.gone(grant::release, grant, failures);
		return new CallerGrant(grant, grant.firstToken(), false, (mayLinger) -> releasing.get(), releasing,
				() -> failures.contain(grant, grant::downgrade), group);
	}

	@Override
	public @Nullable GrantGroup group() {
		return this.group;
	}

	@Override
	public void end() {
		this.released.set(true);
	}

	@Override
	public Grant grant() {
		return this.grant;
	}

	@Override
	public String key() {
		return this.grant.key();
	}

	@Override
	public LockMode mode() {
		return this.grant.mode();
	}

	@Override
	public long token() {
		return this.token;
	}

	@Override
	public boolean isHandedOff() {
		return this.handedOff;
	}

	@Override
	public boolean isValid() {
		return !this.released.get() && this.grant.isValid();
	}

	@Override
	public CompletionStage<Void> release(boolean mayLinger) {
		this.released.set(true);
		return this.releasing.apply(mayLinger);
	}

	@Override
	public void downgrade() {
		if (!this.released.get()) {
			this.downgrading.run();
		}
	}

	@Override
	public CompletionStage<Void> forfeit() {
		this.released.set(true);
		return this.forfeiting.get();
	}

}
