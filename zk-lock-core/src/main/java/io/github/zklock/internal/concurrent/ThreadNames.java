package io.github.zklock.internal.concurrent;

/**
 * Names threads for people. Virtual threads have no name unless they are given one.
 */
public final class ThreadNames {

	private ThreadNames() {
	}

	/**
	 * Names a thread.
	 * @param thread the thread
	 * @return its name, or its number as thread dumps write it, such as {@code #42}
	 */
	@SuppressWarnings("deprecation") // newer JDKs call it threadId
	public static String of(Thread thread) {
		String name = thread.getName();
		return name.isEmpty() ? "#" + thread.getId() : name;
	}

}
