package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.ThreadNames;

/**
 * An owner of this client, and what it has to do with keys.
 *
 * @param name the name of its thread, if it is one
 * @param holds what it holds
 * @param wants what it waits for
 */
public record LocalCaller(String name, Set<String> holds, List<Want> wants) {

	public static LocalCaller of(Object owner) {
		String name = (owner instanceof Thread thread) ? ThreadNames.of(thread)
				: "owner " + Integer.toHexString(owner.hashCode());
		return new LocalCaller(name, new HashSet<>(), new ArrayList<>());
	}

	/**
	 * A key that is waited for.
	 *
	 * @param key the key
	 * @param mode how it is wanted
	 * @param node the thread that is named by the node that was made for this alone, or
	 * null if it shares one with other callers
	 */
	record Want(String key, LockMode mode, @Nullable String node) {
	}

}
