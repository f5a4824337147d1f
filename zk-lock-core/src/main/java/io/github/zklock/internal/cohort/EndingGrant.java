package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * A local grant of which it is reported when it is given back.
 *
 * @param held the local grant
 * @param ended is run when it is given back or given up, possibly several times
 */
public record EndingGrant(LocalGrant held, Runnable ended) implements WrappedGrant {

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
