package io.github.zklock.internal.client;

import java.util.function.Consumer;

import io.github.zklock.LockHandle;
import io.github.zklock.WaitingCaller;

/** Notifies the handles of a client of those who wait for what they hold. */
@FunctionalInterface
interface Contentions {

	/**
	 * Begins to look at who waits for what a handle holds.
	 * @param handle the handle
	 * @param action is given each waiter once
	 * @return ends that; any thread may call it, also again
	 */
	Runnable report(LockHandle handle, Consumer<? super WaitingCaller> action);

}
