package io.github.zklock.internal.node;

import java.util.List;

/**
 * Who of a queue holds permits.
 */
public final class Permits {

	/*
	 * A permit is held when nobody before it wants a lock, and fewer are before it than
	 * every one of them, and itself, allows. Those before it only become fewer, so what
	 * is held stays held, and who holds are the first in the queue. Of the holders at any
	 * moment the last one in the queue was granted when all of them were before it, so
	 * none shares with more than it allows, even if each allows another number.
	 */

	private Permits() {
	}

	/**
	 * Counts those who hold.
	 * @param queue how many each one in the queue allows, in its order; 0 for one that
	 * wants a lock
	 * @return how many of the first in the queue hold permits
	 */
	public static int held(List<Integer> queue) {
		int held = 0;
		int most = Integer.MAX_VALUE;
		for (int allowed : queue) {
			most = Math.min(most, allowed);
			if (held >= most) {
				break;
			}
			held++;
		}
		return held;
	}

	/**
	 * Returns how many may be before one that holds a permit.
	 * @param before how many each one before it allows; 0 for one that wants a lock
	 * @param own how many it allows itself
	 * @return the smallest of all
	 */
	public static int most(List<Integer> before, int own) {
		int most = own;
		for (int allowed : before) {
			most = Math.min(most, allowed);
		}
		return most;
	}

	/**
	 * Describes who is in the way of another one, with both numbers if they differ.
	 * @param who who is in the way
	 * @param there how many that one allows; 0 if it wants a lock
	 * @param here how many the other one allows; 0 if it wants a lock
	 * @return the description
	 */
	public static String describe(String who, int there, int here) {
		return (there > 0 && here > 0 && there != here) ? "%s (%d permits there, %d here)".formatted(who, there, here)
				: who;
	}

}
