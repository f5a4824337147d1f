package io.github.zklock.internal.concurrent;

/**
 * Finds out whether a thread has stack left for what the engine does on it, before
 * anything is changed: a StackOverflowError in the middle would leave it half done.
 */
public final class StackProbe {

	private static final int WIDE_FRAMES = 48;

	private static final int FEW_WIDE_FRAMES = 32;

	// Some 300 bytes each in compiled code, twice as much interpreted
	private static final int FEWEST_FRAMES = 16;

	private static final long[] NUMBERS = new long[32];

	private StackProbe() {
	}

	/**
	 * Returns if there is enough.
	 * @throws StackOverflowError if there is not
	 */
	public static void require() {
		requireWide(WIDE_FRAMES);
	}

	/**
	 * Returns if there is enough to hand something to another thread.
	 * @throws StackOverflowError if there is not
	 */
	public static void requireLittle() {
		requireWide(FEW_WIDE_FRAMES);
	}

	/**
	 * Returns if there is enough for what is done without a step of the engine, and for
	 * {@link #requireLeast()} after that: who takes a lock there must be able to give it
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

	static void require(int frames) {
		check(descend(frames), frames);
	}

	static void requireWide(int frames) {
		check(WideFrame.descend(frames), frames);
	}

	private static void check(long sum, int frames) {
		if (sum != frames) {
			throw new IllegalStateException("A sum of zeros is not zero");
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

	/*
	 * A frame has room for all that its method ever keeps across a call, so a few frames
	 * of one that keeps much where it returns take as much stack as a hundred of small
	 * ones, and a fraction of the time: no more than the innermost is written to. The
	 * method is longer than what compilers inline. They cannot read the numbers after the
	 * call, which might change them.
	 */
	private static long descend(int frames) {
		if (frames != 0) {
			return (frames > 0) ? descend(frames - 1) + 1 : 0;
		}
		long a = NUMBERS[0];
		long b = NUMBERS[1];
		long c = NUMBERS[2];
		long d = NUMBERS[3];
		long e = NUMBERS[4];
		long f = NUMBERS[5];
		long g = NUMBERS[6];
		long h = NUMBERS[7];
		long i = NUMBERS[8];
		long j = NUMBERS[9];
		long k = NUMBERS[10];
		long l = NUMBERS[11];
		long m = NUMBERS[12];
		long n = NUMBERS[13];
		long o = NUMBERS[14];
		long p = NUMBERS[15];
		long q = NUMBERS[16];
		long r = NUMBERS[17];
		long s = NUMBERS[18];
		long t = NUMBERS[19];
		long u = NUMBERS[20];
		long v = NUMBERS[21];
		long w = NUMBERS[22];
		long x = NUMBERS[23];
		long y = NUMBERS[24];
		long z = NUMBERS[25];
		long aa = NUMBERS[26];
		long bb = NUMBERS[27];
		long cc = NUMBERS[28];
		long dd = NUMBERS[29];
		long ee = NUMBERS[30];
		long ff = NUMBERS[31];
		return descend(-1) + a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t + u + v + w
				+ x + y + z + aa + bb + cc + dd + ee + ff;
	}

}
