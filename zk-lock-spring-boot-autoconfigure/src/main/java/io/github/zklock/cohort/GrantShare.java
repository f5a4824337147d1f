package io.github.zklock.cohort;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.zklock.Grant;
import io.github.zklock.LockMode;

/**
 * A share that is a whole grant.
 *
 * @param grant the grant
 * @param releasing how it is given back
 */
record GrantShare(Grant grant, Supplier<CompletionStage<Void>> releasing) implements Share {

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
		return this.grant.firstToken();
	}

	@Override
	public boolean isValid() {
		return this.grant.isValid();
	}

	@Override
	public CompletionStage<Void> release() {
		return this.releasing.get();
	}

}
