package io.github.zklock.internal.node;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.ContenderOrigin;

/**
 * The text that each node carries for people to read: a flat JSON object of strings.
 */
public final class NodeContent {

	private static final int MAX_CONTENT = 8192;

	private static final byte[] NOTHING = {};

	/** Of a text with more bytes the rest is left out, so that all can be read again. */
	private static final int MAX_FIELD = 1800;

	/** As long as a key may be; of a longer text no more is read. */
	private static final int MAX_LENGTH = 1024;

	private NodeContent() {
	}

	/**
	 * Appends a field.
	 * @param json what there is so far, without the bracket at its end
	 * @param name the field's name
	 * @param text what it says; cut if it is too long
	 */
	static void append(StringBuilder json, String name, String text) {
		String value = cut(text);
		json.append((json.length() == 0) ? '{' : ',').append('"').append(name).append("\":\"");
		int plain = 0;
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c < ' ' || c == '"' || c == '\\') {
				json.append(value, plain, i).append((c < ' ') ? "\\u%04x".formatted((int) c) : "\\" + c);
				plain = i + 1;
			}
		}
		json.append(value, plain, value.length());
		json.append('"');
	}

	// A character takes six bytes at most
	private static String cut(String text) {
		if (text.length() <= MAX_FIELD / 6) {
			return text;
		}
		int bytes = 0;
		for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
			bytes += bytes(text.codePointAt(i));
			if (bytes > MAX_FIELD || i >= MAX_LENGTH) {
				return text.substring(0, i) + "...";
			}
		}
		return text;
	}

	// As they are written: escaped, and in UTF-8
	private static int bytes(int c) {
		if (c < 0x80) {
			return (c < ' ') ? 6 : (c == '"' || c == '\\') ? 2 : 1;
		}
		return (c < 0x800) ? 2 : (c <= 0xffff) ? 3 : 4;
	}

	/**
	 * Returns what is kept of a node's data: nothing if they are longer than those of any
	 * lock client, so that a stranger's take no memory here.
	 * @param content the node's data, or null if there are none
	 * @return the same, or an empty array
	 */
	public static byte @Nullable [] kept(byte @Nullable [] content) {
		return (content == null || content.length <= MAX_CONTENT) ? content : NOTHING;
	}

	/**
	 * Adds to a contender's data that its permit is held.
	 * @param content the node's data, as {@link ClientIdentity#describe} has it
	 * @return the node's new data
	 */
	public static byte[] held(byte[] content) {
		StringBuilder json = new StringBuilder(new String(content, StandardCharsets.UTF_8));
		json.setLength(json.length() - 1);
		append(json, "held", "true");
		return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Returns whether the data of a permit's node say that it is held.
	 * @param content the node's data
	 * @return false also if it has been held from its first moment
	 */
	public static boolean holdsPermit(byte @Nullable [] content) {
		return ContenderOrigin.holdsPermit(boundedText(content));
	}

	/**
	 * Reads the id of the contender that made a node.
	 * @param content the node's data
	 * @return the id, or null if no lock client of this kind made it
	 */
	public static @Nullable String idIn(byte @Nullable [] content) {
		ContenderOrigin origin = origin(content);
		return (origin != null) ? origin.id() : null;
	}

	/**
	 * Says in a few words who made a node.
	 * @param content the node's data
	 * @param path the node's path, for nodes of others
	 * @return for example {@code billing-2 (host b2, pid 311, thread main)}
	 */
	public static String who(byte @Nullable [] content, String path) {
		ContenderOrigin origin = origin(content);
		return (origin != null) ? origin.who() : "the node " + path;
	}

	/**
	 * Returns whether the lock of a node may be kept although nobody holds it.
	 * @param content the node's data
	 * @return false also if the node does not say so
	 */
	public static boolean mayBeRetained(byte @Nullable [] content) {
		return ContenderOrigin.mayBeRetained(boundedText(content));
	}

	/**
	 * Reads how long the servers take to answer a write of the client that made a node.
	 * @param content the node's data
	 * @return nanoseconds, more than 0; {@link Long#MAX_VALUE} if the node does not say
	 * so
	 */
	public static long writeNanos(byte @Nullable [] content) {
		Integer micros = ContenderOrigin.writeMicros(boundedText(content));
		return (micros != null && micros > 0) ? TimeUnit.MICROSECONDS.toNanos(micros) : Long.MAX_VALUE;
	}

	private static @Nullable ContenderOrigin origin(byte @Nullable [] content) {
		return ContenderOrigin.parse(boundedText(content));
	}

	private static @Nullable String boundedText(byte @Nullable [] content) {
		return text(kept(content));
	}

	/**
	 * Reads a node's data as text.
	 * @param content the data, or null if there are none
	 * @return the text, or null
	 */
	public static @Nullable String text(byte @Nullable [] content) {
		return (content != null) ? new String(content, StandardCharsets.UTF_8) : null;
	}

}
