package io.github.zklock.testing;

/**
 * Callers whose stack comes to its end.
 */
public final class StackEnd {

	private static final int STEP = 16;

	private static final int BYTES = 512 * 1024;

	private StackEnd() {
	}

	/**
	 * Runs an action on a new thread, near the end of its stack: again and again, each
	 * time with a little more left, until it ends without a StackOverflowError. What the
	 * JVM could not link there it does not link later either, so what the action uses is
	 * to be used once before.
	 * @param before runs first, where the thread has all its stack left
	 * @param action what is run near the end
	 * @throws InterruptedException if interrupted while it runs
	 */
	public static void run(Runnable before, Runnable action) throws InterruptedException {
		Thread deep = new Thread(null, () -> {
			before.run();
			descend(action, 1);
		}, "deep", BYTES);
		deep.start();
		deep.join();
	}

	// One in a few frames on the way back tries, until one has enough stack left.
	@SuppressWarnings("InfiniteRecursion") // to the end of the stack
	private static boolean descend(Runnable action, int depth) {
		try {
			if (descend(action, depth + 1)) {
				return true;
			}
		}
		catch (StackOverflowError ex) {
			// This was the deepest frame.
		}
		return depth % STEP == 0 && isDone(action);
	}

	private static boolean isDone(Runnable action) {
		try {
			action.run();
			return true;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

}
