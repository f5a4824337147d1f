package io.github.zklock.internal.concurrent;

import org.jspecify.annotations.Nullable;

/**
 * Makes the engine's threads, and names those of callers.
 */
public final class Threads {

	private Threads() {
	}

	/**
	 * Makes a daemon thread that has nothing of the thread that makes it, which may be
	 * any caller's: no thread locals, and the class loader that it is given.
	 * @param task what it runs
	 * @param name its name
	 * @param loader its context class loader, which threads that it makes have, too
	 * @return the thread, not started
	 */
	public static Thread daemon(Runnable task, String name, @Nullable ClassLoader loader) {
		Thread thread = new Thread(null, task, name, 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(loader);
		return thread;
	}

	/**
	 * Names a thread for people. Virtual threads have no name unless they are given one.
	 * @param thread the thread
	 * @return its name, or its number as thread dumps write it, such as {@code #42}
	 */
	@SuppressWarnings("deprecation") // newer JDKs call it threadId
	public static String name(Thread thread) {
		String name = thread.getName();
		return name.isEmpty() ? "#" + thread.getId() : name;
	}

}
