package io.github.zklock.aop;

import java.util.Collection;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The owners of the calls that run on a thread and do not belong to it.
 *
 * <p>
 * A method that returns a future owns its lock by the call, not by the thread: otherwise
 * the thread, free again while the work goes on, would re-enter. While the method itself
 * runs, the locked methods that it calls belong to its call, as far as they want one of
 * its keys.
 */
final class LockOwners {

	private static final ThreadLocal<@Nullable Entry> CURRENT = new ThreadLocal<>();

	private LockOwners() {
	}

	/**
	 * Finds the call that a request belongs to.
	 * @param keys the keys of the request
	 * @return the innermost call that holds one of them, or null for the thread
	 */
	static @Nullable Object find(Collection<String> keys) {
		for (Entry entry = CURRENT.get(); entry != null; entry = entry.outer) {
			if (!Collections.disjoint(entry.keys, keys)) {
				return entry.owner;
			}
		}
		return null;
	}

	/**
	 * Begins the time in which a method that returns a future runs on this thread.
	 * @param owner the call
	 * @param keys its keys
	 * @return the end of that time
	 */
	static Scope open(Object owner, List<String> keys) {
		Entry outer = CURRENT.get();
		CURRENT.set(new Entry(owner, keys, outer));
		return () -> {
			if (outer != null) {
				CURRENT.set(outer);
			}
			else {
				CURRENT.remove();
			}
		};
	}

	private record Entry(Object owner, List<String> keys, @Nullable Entry outer) {
	}

	/**
	 * A time that ends by {@link #close()}.
	 */
	@FunctionalInterface
	interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
