package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.github.zklock.DelegatingLockHandle;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;

/**
 * Everything that a client holds, and who may re-enter it.
 */
public final class Holds {

	/*-
	 * Changed by the thread that grants a lock or leaves it last, each time by one step of the map:
	 * where there is one hold of an owner and key that needs no more than to be put or removed,
	 * otherwise it is done under the map's lock for that owner and key; nothing else happens there.
	 *
	 * I1: an owner finds what it holds of a key as long as it holds any of it. A key has
	 *     several holds of one owner if that asked for it several times in mode READ before the
	 *     first was granted, or while the last handle of the first was leaving.
	 */

	private final Map<Owned, List<Hold>> byOwner = new ConcurrentHashMap<>();

	private final StepFailures failures;

	/**
	 * Creates an empty set.
	 * @param failures counts what an owner's {@code equals} threw when a hold was removed
	 */
	Holds(StepFailures failures) {
		this.failures = failures;
	}

	/**
	 * Returns what an owner holds of a key.
	 * @param owned the owner and the key
	 * @return the hold that came first, lost or not, but not one that is leaving if there
	 * is another; null if there is none
	 */
	@Nullable Hold find(Owned owned) {
		List<Hold> found = this.byOwner.get(owned);
		if (found == null) {
			return null;
		}
		for (int i = 1; i < found.size() && !found.get(i - 1).isEntered(); i++) {
			if (found.get(i).isEntered()) {
				return found.get(i);
			}
		}
		return found.get(0);
	}

	void add(Hold hold) {
		if (this.byOwner.putIfAbsent(hold.owned(), hold.alone()) != null) {
			this.byOwner.merge(hold.owned(), hold.alone(), (known, added) -> hold.addedTo(known));
		}
	}

	/**
	 * Forgets a hold. Nothing is thrown, whatever the owner's {@code equals} does.
	 * @param hold the hold
	 */
	void remove(Hold hold) {
		try {
			if (!this.byOwner.remove(hold.owned(), hold.alone())) {
				this.byOwner.computeIfPresent(hold.owned(), (owned, known) -> without(known, hold));
			}
		}
		catch (Throwable ex) {
			this.failures.report(hold, ex);
		}
	}

	private static @Nullable List<Hold> without(List<Hold> known, Hold hold) {
		if (known.size() == 1) {
			return (known.get(0) == hold) ? null : known;
		}
		List<Hold> others = known.stream().filter((other) -> other != hold).toList();
		return others.isEmpty() ? null : others;
	}

	List<Hold> all() {
		return this.byOwner.values().stream().flatMap(List::stream).toList();
	}

	/**
	 * Enters once more what an owner holds of a request's keys.
	 * @param owner the owner
	 * @param request what it asks for
	 * @return its holds; none if it holds none of the keys
	 * @throws LockLostException if it has lost one of them
	 * @throws LockUpgradeException if it holds one in mode READ and asks for more, or one
	 * of a key's permits and asks for the lock, or for one of another number
	 */
	List<Hold> enter(Object owner, LockRequest request) {
		List<Hold> entered = List.of();
		try {
			for (int i = 0; i < request.keys().size(); i++) {
				Hold hold = enter(new Owned(owner, request.keys().get(i)), request.modes().get(i),
						request.permits().get(i));
				if (hold != null) {
					entered = hold.addedTo(entered);
					checkNotLost(hold);
				}
			}
			return entered;
		}
		catch (Throwable ex) {
			Hold.exit(entered, request);
			throw ex;
		}
	}

	// The one that was found may have been left since, and then there may be another
	private @Nullable Hold enter(Owned owned, LockMode asked, int permits) {
		Hold missed = null;
		Hold hold = find(owned);
		while (hold != null && hold != missed) {
			checkPermits(hold, permits);
			if (hold.enter(asked)) {
				return hold;
			}
			if (hold.isEntered()) {
				checkNotLost(hold);
				throw upgrade(hold, asked);
			}
			missed = hold;
			hold = find(owned);
		}
		return null;
	}

	// Who has a lock needs no permit
	private static void checkPermits(Hold hold, int asked) {
		int held = hold.permits();
		if (held > 0 && held != asked && hold.isEntered()) {
			checkNotLost(hold);
			String wants = (asked == 0) ? "the lock" : "one of " + asked;
			throw new LockUpgradeException(
					"Could not acquire %s of '%s': its owner holds one of %d permits of it and would wait for itself; release that first"
						.formatted(wants, hold.key(), held));
		}
	}

	private static void checkNotLost(Hold hold) {
		LockLostException loss = Hold.lossOf(hold.alone());
		if (loss != null) {
			throw loss;
		}
	}

	private static LockUpgradeException upgrade(Hold hold, LockMode asked) {
		return new LockUpgradeException(
				"Could not acquire lock '%s' in mode %s: its owner holds it in mode READ and would wait for itself; release the READ first, or ask for WRITE from the start"
					.formatted(hold.key(), asked));
	}

	/**
	 * Finds the grants behind a handle.
	 * @param handle a handle of this client, or one that delegates to it
	 * @return one grant for each key; none if the handle was released, or is another
	 * client's
	 */
	public List<Grant> grantsOf(LockHandle handle) {
		List<Grant> grants = new ArrayList<>(1);
		LockHandle innermost = DelegatingLockHandle.innermost(handle);
		for (String key : handle.keys()) {
			Hold hold = find(key, handle.fencingToken(key), innermost);
			if (hold == null) {
				return List.of();
			}
			grants.add(hold.grant());
		}
		return grants;
	}

	// All that is held is looked at only for a handle of the user's that delegates in its
	// own way and is no thread's own
	private @Nullable Hold find(String key, long token, LockHandle handle) {
		if (handle instanceof HeldLock known) {
			return heldBy(known.owner(), key, token);
		}
		Hold own = heldBy(Thread.currentThread(), key, token);
		return (own != null) ? own
				: this.byOwner.values()
					.stream()
					.map((held) -> withToken(held, key, token))
					.filter(Objects::nonNull)
					.findFirst()
					.orElse(null);
	}

	private @Nullable Hold heldBy(Object owner, String key, long token) {
		List<Hold> held = this.byOwner.get(new Owned(owner, key));
		return (held != null) ? withToken(held, key, token) : null;
	}

	/**
	 * Finds a hold by its token. Readers may have one in common; then they have the grant
	 * in common too.
	 * @param held some holds
	 * @param key the key
	 * @param token the fencing token
	 * @return the hold, or null if there is none
	 */
	private static @Nullable Hold withToken(List<Hold> held, String key, long token) {
		for (Hold hold : held) {
			if (hold.token() == token && hold.key().equals(key)) {
				return hold;
			}
		}
		return null;
	}

	public int count() {
		return this.byOwner.values().stream().mapToInt(List::size).sum();
	}

	/**
	 * What an owner may hold. An owner is asked for its hash code once, so that a hold is
	 * found again of an owner that has changed.
	 */
	static final class Owned {

		private final Object owner;

		private final String key;

		private final int hash;

		Owned(Object owner, String key) {
			this.owner = owner;
			this.key = key;
			this.hash = 31 * owner.hashCode() + key.hashCode();
		}

		Object owner() {
			return this.owner;
		}

		String key() {
			return this.key;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other || (other instanceof Owned owned && this.hash == owned.hash
					&& this.key.equals(owned.key) && this.owner.equals(owned.owner));
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
