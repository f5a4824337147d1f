package io.github.zklock.zookeeper;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Everything that a client holds, and who may re-enter it.
 */
final class Holds {

	private final Map<Owned, Hold> byOwner = new ConcurrentHashMap<>();

	private final Set<Hold> all = ConcurrentHashMap.newKeySet();

	/**
	 * Returns what an owner holds of a key.
	 * @param owner the owner
	 * @param key the key
	 * @return the hold, lost or not; null if there is none
	 */
	@Nullable Hold find(Object owner, String key) {
		return this.byOwner.get(new Owned(owner, key));
	}

	/**
	 * Adds a hold. If its owner has another one of the same key, as an owner that is not
	 * a thread may have in mode READ, only the first can be re-entered.
	 * @param hold the hold
	 */
	void add(Hold hold) {
		this.all.add(hold);
		this.byOwner.putIfAbsent(new Owned(hold.owner(), hold.key()), hold);
	}

	void remove(Hold hold) {
		this.all.remove(hold);
		this.byOwner.remove(new Owned(hold.owner(), hold.key()), hold);
	}

	Set<Hold> all() {
		return Set.copyOf(this.all);
	}

	int count() {
		return this.all.size() + this.byOwner.size();
	}

	private record Owned(Object owner, String key) {
	}

}
