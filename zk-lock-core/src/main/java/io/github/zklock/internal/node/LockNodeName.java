package io.github.zklock.internal.node;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;

/**
 * The name of a node in a key's queue, no matter which client made it: it ends in
 * Curator's {@code lock-}, {@code __READ__} or {@code __WRIT__} and a sequence number.
 *
 * @param name the whole name
 * @param mode what the suffix says: EXCLUSIVE, READ or WRITE
 * @param permits how many may hold the key together, if it is a permit's: EXCLUSIVE for
 * clients that know no permits. 0 if it is a lock's
 * @param sequence the sequence number, negative after the server's counter has wrapped
 */
public record LockNodeName(String name, LockMode mode, int permits, int sequence) {

	/** What a name begins with, here and in Curator's protected mode. */
	static final String PROTECTED = "_c_";

	private static final int FEWEST_DIGITS = 10;

	private static final int MOST_PERMIT_DIGITS = 9;

	private static final String LOCK = "lock-";

	private static final String READ = "__READ__";

	private static final String WRITE = "__WRIT__";

	private static final String PERMIT = "-permit-";

	/**
	 * Reads a child's name.
	 * @param name the child's name
	 * @return what it says, or empty if it is not a contender's
	 */
	public static Optional<LockNodeName> parse(String name) {
		int digits = name.length();
		while (digits > 0 && name.charAt(digits - 1) >= '0' && name.charAt(digits - 1) <= '9') {
			digits--;
		}
		if (name.length() - digits < FEWEST_DIGITS) {
			return Optional.empty();
		}
		int number = digits;
		LockMode mode = modeBefore(name, digits);
		if (digits > 0 && name.charAt(digits - 1) == '-') {
			LockMode signed = modeBefore(name, digits - 1);
			if (signed != null) {
				mode = signed;
				number = digits - 1;
			}
		}
		if (mode == null) {
			return Optional.empty();
		}
		try {
			int permits = (mode == LockMode.EXCLUSIVE) ? permitsBefore(name, number - LOCK.length()) : 0;
			return Optional
				.of(new LockNodeName(name, mode, permits, Integer.parseInt(name, number, name.length(), 10)));
		}
		catch (NumberFormatException notOfTheServers) {
			return Optional.empty();
		}
	}

	private static @Nullable LockMode modeBefore(String name, int end) {
		if (endsAt(name, end, LOCK)) {
			return LockMode.EXCLUSIVE;
		}
		if (endsAt(name, end, READ)) {
			return LockMode.READ;
		}
		return endsAt(name, end, WRITE) ? LockMode.WRITE : null;
	}

	// -5-permit-
	private static int permitsBefore(String name, int end) {
		if (!endsAt(name, end, PERMIT)) {
			return 0;
		}
		int last = end - PERMIT.length();
		int first = last;
		while (first > 0 && name.charAt(first - 1) >= '0' && name.charAt(first - 1) <= '9') {
			first--;
		}
		boolean well = first > 0 && name.charAt(first - 1) == '-' && last > first && last - first <= MOST_PERMIT_DIGITS;
		return well ? Integer.parseInt(name, first, last, 10) : 0;
	}

	private static boolean endsAt(String name, int end, String suffix) {
		return name.startsWith(suffix, end - suffix.length());
	}

	/**
	 * Returns what a new contender's name begins with; the server adds the number.
	 * @param id the contender's id
	 * @param mode the contender's mode
	 * @param permits how many may hold the key together; 0 for a lock
	 * @return a name in the protected form of Curator
	 */
	public static String prefix(String id, LockMode mode, int permits) {
		return PROTECTED + id + "-" + ((permits == 0) ? suffix(mode) : permits + PERMIT + LOCK);
	}

	public boolean isPermit() {
		return this.permits > 0;
	}

	private static String suffix(LockMode mode) {
		if (mode == LockMode.EXCLUSIVE) {
			return LOCK;
		}
		return (mode == LockMode.READ) ? READ : WRITE;
	}

	/**
	 * Returns the name of a node in another mode, with the same id and number.
	 * @param name a node's name in the protected form of Curator
	 * @param mode the other mode
	 * @return the name
	 * @throws IllegalArgumentException if that is no contender's name
	 */
	public static String withMode(String name, LockMode mode) {
		LockMode now = parse(name).map(LockNodeName::mode)
			.orElseThrow(() -> new IllegalArgumentException("'%s' is not a contender's name".formatted(name)));
		int at = name.lastIndexOf(suffix(now));
		return name.substring(0, at) + suffix(mode) + name.substring(at + suffix(now).length());
	}

	/**
	 * Returns whether the number says nothing about the position in the queue. In one key
	 * node all others are given before: the counter of a server does not go beyond the
	 * largest number, and only while creates are under way together do some of them get
	 * the smallest ones.
	 * @return whether it is negative, or one of the last 2<sup>16</sup>
	 */
	public boolean isNearOverflow() {
		return this.sequence < 0 || this.sequence >= Integer.MAX_VALUE - (1 << 16);
	}

}
