package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * A local grant of which it is reported when it is given back.
 *
 * @param held the local grant
 * @param ended is run when it is given back or given up, possibly several times
 */
public record EndingGrant(LocalGrant held, Runnable ended) implements LocalGrant {

	@Override
	public String key() {
		return this.held.key();
	}

	@Override
	public LockMode mode() {
		return this.held.mode();
	}

	@Override
	public long token() {
		return this.held.token();
	}

	@Override
	public boolean isHandedOff() {
		return this.held.isHandedOff();
	}

	@Override
	public boolean isValid() {
		return this.held.isValid();
	}

	@Override
	public Grant grant() {
		return this.held.grant();
	}

	@Override
	public CompletionStage<Void> release(boolean mayLinger) {
		try {
			return this.held.release(mayLinger);
		}
		finally {
			this.ended.run();
		}
	}

	@Override
	public void downgrade() {
		this.held.downgrade();
	}

	@Override
	public CompletionStage<Void> forfeit() {
		try {
			return this.held.forfeit();
		}
		finally {
			this.ended.run();
		}
	}

	@Override
	public @Nullable GrantGroup group() {
		return this.held.group();
	}

	@Override
	public void end() {
		this.held.end();
		this.ended.run();
	}

}
