package io.github.zklock.internal.client;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.ThreadNames;

/**
 * An owner of this client, and what it has to do with keys.
 *
 * @param name the name of its thread, if it is one
 * @param holds what it holds
 * @param wants what it waits for, and how
 */
public record LocalCaller(String name, Set<String> holds, Map<String, LockMode> wants) {

	public static LocalCaller of(Object owner) {
		String name = (owner instanceof Thread thread) ? ThreadNames.of(thread)
				: "owner " + Integer.toHexString(owner.hashCode());
		return new LocalCaller(name, new HashSet<>(), new HashMap<>());
	}

}
