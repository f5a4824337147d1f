package io.github.zklock.internal.node;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * What the data of a key node say when its queue is long: who was the first in it, and
 * left last. It is written in the transaction that deletes that one's node.
 */
public final class ReleaseNote {

	private static final String BEFORE = "{\"released\":\"";

	private static final String BEHIND = "\"}";

	private ReleaseNote() {
	}

	/**
	 * Notes who leaves.
	 * @param name the name of its node
	 * @return the key node's data
	 */
	public static byte[] of(String name) {
		return (BEFORE + name + BEHIND).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Returns whether a note may replace the key node's data.
	 * @param found the data
	 * @return whether there are none, or they are a note
	 */
	public static boolean mayReplace(byte @Nullable [] found) {
		if (found == null || found.length == 0) {
			return true;
		}
		String text = new String(found, StandardCharsets.UTF_8);
		return text.startsWith(BEFORE) && text.endsWith(BEHIND);
	}

	/**
	 * Returns whether one was the first in the queue when it left.
	 * @param found the key node's data
	 * @param name the name of its node
	 * @return false also if it is not known, because it did not say so, or another one
	 * has left since
	 */
	public static boolean isOf(byte @Nullable [] found, String name) {
		return Arrays.equals(found, of(name));
	}

}
