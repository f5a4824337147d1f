package io.github.zklock.aop;

import java.util.Optional;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.github.zklock.LockHandle;

/**
 * Gives the operators of a locked publisher the handle of the lock that they run under.
 * It travels in Reactor's context, because operators may run on any thread; what
 * {@link io.github.zklock.LockContext} is to a method that does its work before it
 * returns.
 *
 * @since 0.1.0
 */
public final class ReactiveLockContext {

	private ReactiveLockContext() {
	}

	/**
	 * Returns the handle of the innermost locked method whose publisher this is part of.
	 * @return the handle, one for each subscriber; fails with
	 * {@link IllegalStateException} if there is none
	 */
	public static Mono<LockHandle> current() {
		return Mono.deferContextual((context) -> Mono.just(current(context)));
	}

	/**
	 * Returns the handle of the innermost locked method whose publisher has a context.
	 * @param context the context, as {@code deferContextual} or a signal has it
	 * @return the handle
	 * @throws IllegalStateException if there is none
	 */
	public static LockHandle current(ContextView context) {
		return find(context).orElseThrow(() -> new IllegalStateException(
				"There is no lock in Reactor's context: this is not part of a publisher that a method with @DistributedLock returned"));
	}

	/**
	 * Returns the handle of the innermost locked method whose publisher has a context, if
	 * any.
	 * @param context the context, as {@code deferContextual} or a signal has it
	 * @return the handle, or empty
	 */
	public static Optional<LockHandle> find(ContextView context) {
		return context.getOrEmpty(Key.HANDLE);
	}

	/**
	 * Makes a handle the current one of all operators above {@code contextWrite}. For
	 * those who run publishers under a lock of their own, and for tests. It brings the
	 * handle only: who may enter the lock again stays as it is.
	 * @param handle the handle
	 * @return what {@code contextWrite} takes
	 */
	public static UnaryOperator<Context> with(LockHandle handle) {
		return (context) -> context.put(Key.HANDLE, handle);
	}

	/**
	 * Adds a locked call.
	 * @param context the context of its subscriber
	 * @param handle its handle
	 * @param owners the call, and those around it
	 * @return the context of its publisher
	 */
	static Context put(ContextView context, LockHandle handle, LockOwners.Entry owners) {
		return Context.of(context).put(Key.HANDLE, handle).put(Key.OWNERS, owners);
	}

	/**
	 * Returns the locked calls around a publisher.
	 * @param context its context
	 * @return the innermost, or null if there is none
	 */
	static LockOwners.@Nullable Entry owners(ContextView context) {
		return context.<LockOwners.Entry>getOrEmpty(Key.OWNERS).orElse(null);
	}

	private enum Key {

		HANDLE, OWNERS

	}

}
