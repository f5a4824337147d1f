package io.github.zklock.internal.concurrent;

/**
 * Finds out whether a thread has stack left for what the engine does on it, before
 * anything is changed: a StackOverflowError in the middle would leave it half done.
 */
public final class StackProbe {

	// With what each frame keeps: some 50 KiB of compiled code, twice as much interpreted
	private static final int FRAMES = 512;

	private static final int FEW_FRAMES = 160;

	private static final int FEWEST_FRAMES = 64;

	private StackProbe() {
	}

	/**
	 * Returns if there is enough.
	 * @throws StackOverflowError if there is not
	 */
	public static void require() {
		require(FRAMES);
	}

	/**
	 * Returns if there is enough to hand something to another thread.
	 * @throws StackOverflowError if there is not
	 */
	public static void requireLittle() {
		require(FEW_FRAMES);
	}

	/**
	 * Returns if there is enough for what is done without a step of the engine, and for
	 * {@link #requireLeast()} behind that: who takes a lock there must be able to give it
	 * back.
	 * @throws StackOverflowError if there is not
	 */
	public static void requireMoreThanLeast() {
		require(FEWEST_FRAMES + FEWEST_FRAMES / 2);
	}

	/**
	 * Returns if there is enough for what is done without a step of the engine.
	 * @throws StackOverflowError if there is not
	 */
	public static void requireLeast() {
		require(FEWEST_FRAMES);
	}

	private static void require(int frames) {
		if (descend(frames, 1, 2, 3, 4, 5, 6) == 0) {
			throw new IllegalStateException("The sum of positive numbers is zero");
		}
	}

	/**
	 * Returns whether there is enough.
	 * @return false where {@link #require} would throw
	 */
	public static boolean isEnough() {
		try {
			require();
			return true;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

	// The numbers are wanted after the call, so each frame has room for them.
	private static long descend(int frames, long a, long b, long c, long d, long e, long f) {
		long below = (frames > 0) ? descend(frames - 1, b, c, d, e, f, a) : 0;
		return below + a + b + c + d + e + f;
	}

}
