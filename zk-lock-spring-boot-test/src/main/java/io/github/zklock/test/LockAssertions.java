package io.github.zklock.test;

import java.util.List;

import io.github.zklock.LockContext;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;

/**
 * Asserts that the code that runs on this thread runs under a lock: to be called by the
 * guarded code itself, or by what takes a collaborator's place in a test. Sees the locks
 * of methods with {@link io.github.zklock.DistributedLock @DistributedLock}, of
 * {@code LockClient.call} and {@code run}, and those made current by
 * {@link LockContext#open}.
 *
 * @since 0.1.0
 */
public final class LockAssertions {

	private LockAssertions() {
	}

	/**
	 * Asserts that a locked method runs on this thread, and that the lock of the
	 * innermost one is held.
	 * @throws AssertionError if not
	 */
	public static void assertLocked() {
		List<LockHandle> handles = LockContext.all();
		if (handles.isEmpty()) {
			throw new AssertionError("Expected this code to run under a lock, but no locked method runs on thread '%s'"
				.formatted(named(Thread.currentThread())));
		}
		assertHeld(handles.subList(0, 1));
	}

	/**
	 * Asserts that a method that has locked a key runs on this thread, and that the lock,
	 * or one of several, is held.
	 * @param key the key
	 * @throws AssertionError if not
	 */
	public static void assertLocked(String key) {
		List<LockHandle> handles = LockContext.all();
		List<LockHandle> found = handles.stream().filter((handle) -> handle.keys().contains(key)).toList();
		if (found.isEmpty()) {
			throw new AssertionError("Expected this code to run under lock '%s', but it runs under %s".formatted(key,
					handles.isEmpty() ? "none" : keysOf(handles)));
		}
		assertHeld(found);
	}

	/**
	 * Asserts that no locked method runs on this thread.
	 * @throws AssertionError if one does
	 */
	public static void assertNotLocked() {
		List<LockHandle> handles = LockContext.all();
		if (!handles.isEmpty()) {
			throw new AssertionError("Expected this code to run under no lock, but it runs under " + keysOf(handles));
		}
	}

	// Virtual threads have no name unless they are given one
	@SuppressWarnings("deprecation") // newer JDKs call it threadId
	private static String named(Thread thread) {
		return thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName();
	}

	private static void assertHeld(List<LockHandle> handles) {
		if (handles.stream().noneMatch(LockHandle::isHeld)) {
			List<String> keys = handles.get(0).keys();
			throw new AssertionError("Expected %s to be held, but %s lost or released"
				.formatted(LockException.named(keys), (keys.size() == 1) ? "it was" : "they were"));
		}
	}

	private static List<String> keysOf(List<LockHandle> handles) {
		return handles.stream().flatMap((handle) -> handle.keys().stream()).distinct().toList();
	}

}
