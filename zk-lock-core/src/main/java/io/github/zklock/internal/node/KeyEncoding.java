package io.github.zklock.internal.node;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Turns a key into one path segment and back. Printable ASCII except {@code %} and
 * {@code /} stands for itself, every other UTF-8 byte is percent-encoded. The whole keys
 * {@code .}, {@code ..} and {@code zookeeper}, which ZooKeeper refuses or reserves, are
 * encoded too. Past 255 bytes the segment is a readable prefix, the mark {@code %~},
 * which no encoding produces, and the key's SHA-256.
 */
public final class KeyEncoding {

	public static final int MAX_SEGMENT = 255;

	private static final String DIGEST_MARK = "%~";

	private static final int MAX_PREFIX = MAX_SEGMENT - DIGEST_MARK.length() - 64;

	/**
	 * What is before the mark is cut where no encoded byte is. Not formatted: some
	 * locales have digits of their own.
	 */
	private static final Pattern DIGEST = Pattern
		.compile("[ -~&&[^/]]{" + (MAX_PREFIX - 2) + "," + MAX_PREFIX + "}" + DIGEST_MARK + "[0-9A-F]{64}");

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private KeyEncoding() {
	}

	/**
	 * Encodes a key.
	 * @param key a non-empty, well-formed key
	 * @return a legal path segment of at most 255 characters; different keys give
	 * different segments
	 */
	public static String encode(String key) {
		String segment = switch (key) {
			case "." -> "%2E";
			case ".." -> "%2E%2E";
			case "zookeeper" -> "%7Aookeeper";
			default -> percent(key.getBytes(StandardCharsets.UTF_8));
		};
		return (segment.length() <= MAX_SEGMENT) ? segment : digest(segment, key);
	}

	/**
	 * Encodes what keys begin with.
	 * @param prefix the beginning of keys, well-formed
	 * @return the beginning of what {@link #encode} returns for them, but for keys whose
	 * beginning is longer than what is before a digest
	 */
	public static String beginning(String prefix) {
		return percent(prefix.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Decodes a segment.
	 * @param segment what {@link #encode} returned
	 * @return the key, or empty if the segment holds only the key's digest or is not of
	 * our making
	 */
	public static Optional<String> decode(String segment) {
		byte[] bytes = new byte[segment.length()];
		int length = 0;
		for (int i = 0; i < segment.length(); i++) {
			char c = segment.charAt(i);
			if (c > '~') {
				return Optional.empty();
			}
			if (c != '%') {
				bytes[length++] = (byte) c;
			}
			else if (i + 2 < segment.length() && HexFormat.isHexDigit(segment.charAt(i + 1))
					&& HexFormat.isHexDigit(segment.charAt(i + 2))) {
				bytes[length++] = (byte) HexFormat.fromHexDigits(segment, i + 1, i + 3);
				i += 2;
			}
			else {
				return Optional.empty();
			}
		}
		String key = new String(bytes, 0, length, StandardCharsets.UTF_8);
		return (!key.isEmpty() && encode(key).equals(segment)) ? Optional.of(key) : Optional.empty();
	}

	/**
	 * Returns whether a segment holds only the digest of a key.
	 * @param segment the segment
	 * @return whether it is such as {@link #encode} returns for a long key
	 */
	public static boolean hasDigest(String segment) {
		return DIGEST.matcher(segment).matches();
	}

	private static String percent(byte[] bytes) {
		StringBuilder segment = new StringBuilder(bytes.length);
		for (byte b : bytes) {
			if (b >= ' ' && b <= '~' && b != '%' && b != '/') {
				segment.append((char) b);
			}
			else {
				segment.append('%').append(HEX.toHexDigits(b));
			}
		}
		return segment.toString();
	}

	private static String digest(String segment, String key) {
		int cut = MAX_PREFIX;
		int escape = segment.lastIndexOf('%', cut - 1);
		if (escape > cut - 3 && escape >= 0) {
			cut = escape;
		}
		return segment.substring(0, cut) + DIGEST_MARK
				+ HEX.formatHex(sha256().digest(key.getBytes(StandardCharsets.UTF_8)));
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform must have SHA-256", ex);
		}
	}

}
