package io.github.zklock.zookeeper;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.zklock.LockMode;

/**
 * The name of a node in a key's line, whoever made it: it ends in Curator's
 * {@code lock-}, {@code __READ__} or {@code __WRIT__} and a sequence number.
 *
 * @param name the whole name
 * @param mode what the suffix says: EXCLUSIVE, READ or WRITE
 * @param sequence the sequence number, negative after the server's counter has wrapped
 */
record LineName(String name, LockMode mode, int sequence) {

	private static final Pattern CONTENDER = Pattern.compile("(lock-|__READ__|__WRIT__)(-?[0-9]{10,})$");

	/**
	 * Reads a child's name.
	 * @param name the child's name
	 * @return what it says, or empty if it is not a contender's
	 */
	static Optional<LineName> parse(String name) {
		Matcher matcher = CONTENDER.matcher(name);
		if (!matcher.find()) {
			return Optional.empty();
		}
		try {
			return Optional.of(new LineName(name, mode(matcher.group(1)), Integer.parseInt(matcher.group(2))));
		}
		catch (NumberFormatException notOfTheServers) {
			return Optional.empty();
		}
	}

	private static LockMode mode(String suffix) {
		return switch (suffix) {
			case "__READ__" -> LockMode.READ;
			case "__WRIT__" -> LockMode.WRITE;
			default -> LockMode.EXCLUSIVE;
		};
	}

	/**
	 * Returns what a new contender's name begins with; the server adds the number.
	 * @param id the contender's id
	 * @param mode the contender's mode
	 * @return a name in the protected form of Curator
	 */
	static String prefix(String id, LockMode mode) {
		return "_c_" + id + "-" + switch (mode) {
			case EXCLUSIVE -> "lock-";
			case READ -> "__READ__";
			case WRITE -> "__WRIT__";
		};
	}

	boolean isNearOverflow() {
		return this.sequence < 0 || this.sequence >= Integer.MAX_VALUE - (1 << 16);
	}

}
