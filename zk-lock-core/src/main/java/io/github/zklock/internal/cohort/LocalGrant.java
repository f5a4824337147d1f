package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * What a local contender holds of a grant.
 */
public interface LocalGrant {

	/**
	 * Returns the key.
	 * @return the key
	 */
	String key();

	/**
	 * Returns the mode.
	 * @return the mode that is held
	 */
	LockMode mode();

	/**
	 * Returns the caller's fencing token.
	 * @return the grant's czxid times {@link Grant#TOKENS}, plus the number of the
	 * handoff
	 */
	long token();

	/**
	 * Returns whether another local caller had the same grant before.
	 * @return false if the grant was made for this local grant
	 */
	default boolean isHandedOff() {
		return false;
	}

	/**
	 * Returns whether the local grant is certainly good at this moment.
	 * @return false after its release and once it was lost; once false it stays false
	 */
	boolean isValid();

	/**
	 * Returns the grant behind it.
	 * @return the grant
	 */
	Grant grant();

	/**
	 * Returns whether giving it back is expected to take no step of the engine, and so
	 * little of a thread's stack.
	 * @return false if it is not known
	 */
	default boolean isBackAtOnce() {
		return false;
	}

	/**
	 * Gives the local grant back. Further calls return the same stage.
	 * @param mayLinger whether the grant may be kept for a moment although nobody wants
	 * it, in case a caller comes back at once
	 * @return completes with null when this local contender has nothing of the key left
	 * in ZooKeeper; never exceptionally
	 */
	CompletionStage<Void> release(boolean mayLinger);

	/**
	 * Gives the local grant back. Nobody is expected to come back.
	 * @return completes as {@link #release(boolean)} does
	 */
	default CompletionStage<Void> release() {
		return release(false);
	}

	/**
	 * Its holder goes on as a reader, so others may share the key with it as soon as the
	 * servers have answered. Nothing happens if the grant is not a WRITE one, has been
	 * given back, or cannot be changed; it stays exclusive then.
	 */
	void downgrade();

	/**
	 * Gives the local grant up because it is lost although the grant is good: its holder
	 * may still work, so the grant is released and not handed off.
	 * @return completes as {@link #release} does
	 */
	CompletionStage<Void> forfeit();

	/**
	 * Returns what was granted together with it.
	 * @return the group, or null if it was granted alone
	 */
	default @Nullable GrantGroup group() {
		return null;
	}

	/**
	 * It is not valid any more, and will be given back: with the others of its group, or
	 * once the end of what was done under it has been noted.
	 */
	default void end() {
	}

	/**
	 * Gives several local grants back: by one request, if they are all that was granted
	 * in one go.
	 * @param all of one caller
	 * @return completes with null when nothing of them is left in ZooKeeper; never
	 * exceptionally
	 */
	static CompletionStage<Void> releaseAll(List<LocalGrant> all) {
		GrantGroup group = all.isEmpty() ? null : all.get(0).group();
		if (group != null && group.isAll(all)) {
			return group.release(all);
		}
		return CompletableFuture.allOf(all.stream()
			.map((localGrant) -> localGrant.release().toCompletableFuture())
			.toArray(CompletableFuture[]::new));
	}

}
