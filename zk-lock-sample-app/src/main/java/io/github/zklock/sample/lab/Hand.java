package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * Takes the key in the session of this instance, for as long as wanted.
 */
final class Hand {

	/*-
	 * NONE -> QUEUED -> HELD -> LOST; from each of them back to NONE. Answers and losses come
	 * on the lock client's threads and may come late: one that is not of the present attempt
	 * is not wanted any more, and what it brought is released.
	 */

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private final LockClient lockClient;

	private final LabKey key;

	private final Notes notes;

	private final Runnable changed;

	private volatile Stage stage = Stage.NONE;

	private @Nullable CompletableFuture<LockHandle> attempt;

	private @Nullable LockHandle handle;

	Hand(LockClient lockClient, LabKey key, Notes notes, Runnable changed) {
		this.lockClient = lockClient;
		this.key = key;
		this.notes = notes;
		this.changed = changed;
	}

	/**
	 * Takes the key, unless it is held or asked for already. What was lost is released
	 * first.
	 * @param strategy the name of the strategy
	 */
	synchronized void take(String strategy) {
		if (this.stage == Stage.QUEUED || this.stage == Stage.HELD) {
			return;
		}
		if (this.handle != null) {
			this.handle.release();
			this.handle = null;
		}
		enter(Stage.QUEUED);
		CompletableFuture<LockHandle> asked = this.lockClient.acquireAsync(
				LockRequest.exclusive(this.key.current()).strategy(strategy).timeout(PATIENCE).owner(new Object()));
		this.attempt = asked;
		CompletableFuture<?> unused = asked.whenComplete((taken, failure) -> answered(asked, taken, failure));
	}

	private synchronized void answered(CompletableFuture<LockHandle> asked, @Nullable LockHandle taken,
			@Nullable Throwable failure) {
		if (this.attempt != asked) {
			if (taken != null) {
				taken.release();
			}
			return;
		}
		if (taken == null) {
			enter(Stage.NONE);
			this.notes.add("The key was not taken by hand: %s"
				.formatted((failure != null) ? failure.getMessage() : "no answer"));
			return;
		}
		this.handle = taken;
		enter(Stage.HELD);
		this.notes.add("The key is held by hand, with token %d".formatted(taken.fencingToken()));
		taken.onLost(() -> lost(taken));
	}

	private synchronized void lost(LockHandle taken) {
		if (this.handle == taken) {
			enter(Stage.LOST);
			this.notes.add("What was held by hand is lost: others may hold the key now");
		}
	}

	synchronized void giveBack() {
		CompletableFuture<LockHandle> asked = this.attempt;
		this.attempt = null;
		if (asked != null) {
			asked.cancel(false);
		}
		if (this.handle != null) {
			this.handle.release();
			this.notes.add("The key is given back");
		}
		this.handle = null;
		enter(Stage.NONE);
	}

	private void enter(Stage next) {
		this.stage = next;
		this.changed.run();
	}

	Stage stage() {
		return this.stage;
	}

	synchronized @Nullable Long token() {
		return (this.handle != null) ? this.handle.fencingToken() : null;
	}

	/**
	 * How far it is.
	 */
	enum Stage {

		NONE, QUEUED, HELD, LOST

	}

}
