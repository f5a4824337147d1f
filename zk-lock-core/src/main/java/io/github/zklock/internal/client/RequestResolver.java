package io.github.zklock.internal.client;

import io.github.zklock.LockRequest;

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

}
