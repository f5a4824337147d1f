package io.github.zklock.inspect;

import java.util.HashMap;
import java.util.Map;

/**
 * Reads a flat JSON object of strings, without complaint about what is none. Every waiter
 * reads the one before it, so this uses no regular expression.
 */
final class FlatJson {

	/** No lock client writes a longer text. */
	private static final int LONGEST = 8192;

	private static final String BETWEEN = "\":\"";

	private FlatJson() {
	}

	/**
	 * Reads the fields.
	 * @param text the text
	 * @return the strings by their names; empty if there are none, or the text is too
	 * long
	 */
	static Map<String, String> read(String text) {
		Map<String, String> fields = new HashMap<>();
		int quote = (text.length() <= LONGEST) ? text.indexOf('"') : -1;
		while (quote >= 0) {
			int nameEnd = endOfName(text, quote + 1);
			boolean named = nameEnd > quote + 1 && text.startsWith(BETWEEN, nameEnd);
			int begin = nameEnd + BETWEEN.length();
			int end = named ? endOfValue(text, begin) : -1;
			if (end >= 0) {
				fields.put(text.substring(quote + 1, nameEnd), unescaped(text.substring(begin, end)));
			}
			quote = text.indexOf('"', Math.max(end, quote) + 1);
		}
		return fields;
	}

	private static int endOfName(String text, int begin) {
		int end = begin;
		while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
			end++;
		}
		return end;
	}

	private static int endOfValue(String text, int begin) {
		for (int i = begin; i < text.length(); i++) {
			if (text.charAt(i) == '"') {
				return i;
			}
			if (text.charAt(i) == '\\') {
				i++;
			}
		}
		return -1;
	}

	private static String unescaped(String value) {
		if (value.indexOf('\\') < 0) {
			return value;
		}
		StringBuilder plain = new StringBuilder(value.length());
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c == '\\') {
				c = value.charAt(++i);
				if (c == 'u' && isHexadecimal(value, i + 1)) {
					c = (char) Integer.parseInt(value, i + 1, i + 5, 16);
					i += 4;
				}
			}
			plain.append(c);
		}
		return plain.toString();
	}

	private static boolean isHexadecimal(String value, int begin) {
		return begin + 4 <= value.length()
				&& value.substring(begin, begin + 4).chars().allMatch((c) -> Character.digit(c, 16) >= 0);
	}

}
