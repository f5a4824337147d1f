package io.github.zklock.aop;

import java.util.Collection;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The owners of the calls that run on a thread and do not belong to it.
 *
 * <p>
 * A method that returns a future or a publisher owns its lock by the call, not by the
 * thread: otherwise the thread, free again while the work goes on, would re-enter. While
 * the method itself runs, the locked methods that it calls belong to its call, as far as
 * they want one of its keys.
 */
final class LockOwners {

	private static final ThreadLocal<@Nullable Entry> CURRENT = new ThreadLocal<>();

	private LockOwners() {
	}

	/**
	 * Returns the calls that run on this thread and do not belong to it.
	 * @return the innermost, or null if there is none
	 */
	static @Nullable Entry current() {
		return CURRENT.get();
	}

	/**
	 * Finds the call that a request belongs to.
	 * @param innermost where to begin, or null for none
	 * @param keys the keys of the request
	 * @return the innermost call that holds one of them, or null if none does
	 */
	static @Nullable Object find(@Nullable Entry innermost, Collection<String> keys) {
		for (Entry entry = innermost; entry != null; entry = entry.outer) {
			if (!Collections.disjoint(entry.keys, keys)) {
				return entry.owner;
			}
		}
		return null;
	}

	/**
	 * Begins the time in which a method that owns its lock by the call runs on this
	 * thread.
	 * @param entry the call, and those around it
	 * @return the end of that time
	 */
	static Scope open(Entry entry) {
		return Scope.of(CURRENT, entry);
	}

	/**
	 * A call that owns a lock.
	 *
	 * @param owner the call
	 * @param keys its keys
	 * @param outer the call around it, or null
	 */
	record Entry(Object owner, List<String> keys, @Nullable Entry outer) {
	}

	/**
	 * A time that ends by {@link #close()}.
	 */
	@FunctionalInterface
	interface Scope extends AutoCloseable {

		@Override
		void close();

		/**
		 * Begins the time in which a thread has a value.
		 * @param <T> the type of the value
		 * @param current has it
		 * @param value what is current until the end, or null for none
		 * @return gives back to the thread what it had before
		 */
		static <T> Scope of(ThreadLocal<@Nullable T> current, @Nullable T value) {
			T before = current.get();
			current.set(value);
			return () -> {
				if (before != null) {
					current.set(before);
				}
				else {
					current.remove();
				}
			};
		}

	}

}
