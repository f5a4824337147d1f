package io.github.zklock.internal.client;

import io.github.zklock.LockRequest;

/**
 * Fills in what a request leaves open: its strategy, its time-out, its owner.
 */
@FunctionalInterface
public interface RequestResolver {

	/**
	 * Resolves a request. Its time begins to count. This is the first thing that a call
	 * does, so the stack is probed here.
	 * @param request the request
	 * @param defaultOwner who owns what is acquired, if the request does not say so
	 * @return the request with defaults and rules applied
	 * @throws IllegalArgumentException if it names an unknown strategy
	 * @throws StackOverflowError if the calling thread's stack has come near its end
	 */
	ResolvedRequest resolve(LockRequest request, Object defaultOwner);

	/**
	 * Returns what bounds the number of keys that are held at a time.
	 * @return the shares of the client; they bound nothing unless said otherwise
	 */
	default Shares shares() {
		return Shares.none();
	}

}
