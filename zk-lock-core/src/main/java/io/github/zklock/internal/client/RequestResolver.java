package io.github.zklock.internal.client;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockRequest;
import io.github.zklock.spi.LockStrategy;

/**
 * Fills in what a request leaves open: its strategy, its time-out, its owner.
 */
@FunctionalInterface
public interface RequestResolver {

	/**
	 * Resolves a request. Its time begins to count.
	 * @param request the request
	 * @param defaultOwner who owns what is acquired, if the request does not say so
	 * @return the request with defaults and rules applied
	 * @throws IllegalArgumentException if it names an unknown strategy
	 */
	ResolvedRequest resolve(LockRequest request, Object defaultOwner);

	/**
	 * Finds the strategy of a request, without a look at anything else.
	 * @param request the request
	 * @return the strategy, or null if only {@link #resolve} knows it, or refuses it
	 */
	default @Nullable LockStrategy strategyOf(LockRequest request) {
		return null;
	}

	/**
	 * Returns whether a request does not wait.
	 * @param request the request
	 * @return whether its time-out is zero; also if only {@link #resolve} knows that
	 */
	default boolean isTryOnce(LockRequest request) {
		return true;
	}

	/**
	 * Returns what bounds the number of keys that are held at a time.
	 * @return the shares of the client; they bound nothing unless said otherwise
	 */
	default Shares shares() {
		return Shares.none();
	}

}
