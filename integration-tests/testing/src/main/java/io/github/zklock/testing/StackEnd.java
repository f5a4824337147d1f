package io.github.zklock.testing;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

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
	 * @throws IllegalStateException if one of them failed otherwise, or the action found
	 * too little stack each time
	 */
	public static void run(Runnable before, Runnable action) throws InterruptedException {
		FutureTask<Boolean> task = new FutureTask<>(() -> {
			before.run();
			return descend(action, 1);
		});
		Thread deep = new Thread(null, task, "deep", BYTES);
		deep.start();
		try {
			if (!task.get()) {
				throw new IllegalStateException("The action found too little stack each time");
			}
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
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
