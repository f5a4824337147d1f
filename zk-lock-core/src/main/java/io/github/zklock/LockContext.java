package io.github.zklock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Gives the running method, or the work of {@link LockClient#call}, the handle of the
 * lock that it runs under. The operators of a publisher run on any thread and find it by
 * {@code io.github.zklock.aop.ReactiveLockContext}.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable Scope> CURRENT = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Returns the handle of the innermost locked method or work that runs on this thread.
	 * @return the handle
	 * @throws IllegalStateException if no locked method runs on this thread
	 */
	public static LockHandle current() {
		return find().orElseThrow(() -> new IllegalStateException("No method with @DistributedLock runs on thread '"
				+ named(Thread.currentThread())
				+ "', so there is no current lock; operators of a publisher, and suspending functions, find theirs by ReactiveLockContext"));
	}

	// Virtual threads have no name unless they are given one
	@SuppressWarnings("deprecation") // newer JDKs call it threadId
	private static String named(Thread thread) {
		return thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName();
	}

	/**
	 * Returns the handle of the innermost locked method or work that runs on this thread,
	 * if any.
	 * @return the handle, or empty
	 */
	public static Optional<LockHandle> find() {
		Scope scope = CURRENT.get();
		return (scope != null) ? Optional.of(scope.handle) : Optional.empty();
	}

	/**
	 * Returns the handles of all locked methods and works that run on this thread.
	 * @return the handles, the innermost first; none if no locked method runs
	 */
	public static List<LockHandle> all() {
		List<LockHandle> handles = new ArrayList<>();
		for (Scope scope = CURRENT.get(); scope != null; scope = scope.outer) {
			handles.add(scope.handle);
		}
		return handles;
	}

	/**
	 * Makes a handle the current one of this thread until the scope is closed. For those
	 * who run user code under a lock, and for tests.
	 * @param handle the handle
	 * @return the scope, to be closed on this thread, inner scopes first
	 */
	public static Scope open(LockHandle handle) {
		Scope scope = new Scope(handle, CURRENT.get());
		CURRENT.set(scope);
		return scope;
	}

	/**
	 * The time during which a handle is the current one of a thread.
	 */
	public static final class Scope implements AutoCloseable {

		private final LockHandle handle;

		private final @Nullable Scope outer;

		private Scope(LockHandle handle, @Nullable Scope outer) {
			this.handle = handle;
			this.outer = outer;
		}

		/**
		 * Makes the outer handle, if any, the current one again.
		 */
		@Override
		public void close() {
			if (this.outer != null) {
				CURRENT.set(this.outer);
			}
			else {
				CURRENT.remove();
			}
		}

	}

}
