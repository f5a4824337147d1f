package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * One caller's share of a grant.
 */
final class GrantShare implements Share {

	/*-
	 * Any thread asks and releases; the cohort's or the contender's mailbox does the rest.
	 *
	 * I1: after `release` it is never valid, although the grant may be: it is somebody else's.
	 */

	private final Grant grant;

	private final long token;

	private final boolean handedOver;

	private final Supplier<CompletionStage<Void>> releasing;

	private final Supplier<CompletionStage<Void>> forfeiting;

	private final AtomicBoolean released = new AtomicBoolean();

	GrantShare(Grant grant, long token, boolean handedOver, Supplier<CompletionStage<Void>> releasing,
			Supplier<CompletionStage<Void>> forfeiting) {
		this.grant = grant;
		this.token = token;
		this.handedOver = handedOver;
		this.releasing = releasing;
		this.forfeiting = forfeiting;
	}

	/**
	 * Creates the share of a caller who has a grant alone, from its beginning to its end.
	 * @param grant the grant
	 * @return the share
	 */
	static Share whole(Grant grant) {
		return new GrantShare(grant, grant.firstToken(), false, grant::release, grant::release);
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
	public boolean isHandedOver() {
		return this.handedOver;
	}

	@Override
	public boolean isValid() {
		return !this.released.get() && this.grant.isValid();
	}

	@Override
	public CompletionStage<Void> release() {
		this.released.set(true);
		return this.releasing.get();
	}

	@Override
	public CompletionStage<Void> forfeit() {
		this.released.set(true);
		return this.forfeiting.get();
	}

}
