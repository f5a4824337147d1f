package io.github.zklock.internal.contender;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was seen of those that were asked for last; the one that was asked for least
 * lately is forgotten first.
 *
 * @param <V> what is known of one
 */
final class LatestUsed<V> extends LinkedHashMap<String, V> {

	/** How many are known at most. */
	static final int CAPACITY = 64;

	private static final long serialVersionUID = 1L;

	LatestUsed() {
		super(16, 0.75f, true);
	}

	@Override
	protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
		return size() > CAPACITY;
	}

}
