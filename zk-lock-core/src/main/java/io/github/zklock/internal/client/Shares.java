package io.github.zklock.internal.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Bounds how many keys of a pattern a client holds at a time, so that other instances get
 * their part of them. A caller takes a share for each such key before anything is sent,
 * or has part in the share of callers who hold that key, or wait for it, already.
 */
public final class Shares {

	/*-
	 * A claim is what one call wants: NEW -> TAKEN | WAITING | BUSY | REFUSED, WAITING -> TAKEN;
	 * all -> LEFT. Everything changes under the monitor of this object, in which nothing waits
	 * and nobody is called; who is served is called after it, by the thread that made room.
	 *
	 * A key needs one share, however many callers use it: else callers that wait for a key here
	 * would keep its holder from another one, and readers each other. It comes back with the last
	 * of them. Who uses a key that has a share still comes behind those that wait for one, or a key
	 * that always has callers would keep its share for good.
	 *
	 * An owner that has shares is served before those that have none: these may wait for what it
	 * has. While it waits for a pattern, those that have none take nothing of that pattern.
	 *
	 * Whether owners wait for each other is found by reduction: an owner that does not wait for a
	 * share gives its shares back some time; one whose claims fit into what is free then does so,
	 * too. Who is left over can never be served. Source: Holt, "Some Deadlock Properties of
	 * Computer Systems", 1972. It is looked at when an owner that has shares begins to wait, and
	 * an owner that has none keeps nobody waiting. Not found is what only a time-out ends: an owner
	 * that asks twice before it has anything, and one that waits for a lock, and not for a share,
	 * that an owner holds who waits for its share.
	 *
	 * I1: of a pattern no more keys are used than its bound.
	 * I2: a claim takes all of its shares in one step, or none.
	 * I3: owners without shares are served in the order in which they came, for each pattern.
	 * I4: a claim does not begin to wait if all that have what it lacks wait for shares themselves.
	 * I5: each claim ends its use of a key once, however often it is given back, and by whom.
	 */

	enum State {

		NEW, WAITING, TAKEN, BUSY, REFUSED, LEFT

	}

	private static final Shares NONE = of(List.of());

	private final KeyRules<ShareBound> bounds;

	private final Map<String, Quota> quotas = new HashMap<>();

	/** Those that have shares. */
	private final Map<ShareOwner, ShareOwner> owners = new HashMap<>();

	/** Those that wait although their owners have shares. */
	private final Set<Claim> holders = new LinkedHashSet<>();

	private Shares(KeyRules<ShareBound> bounds) {
		this.bounds = bounds;
	}

	/**
	 * Creates the shares of a client.
	 * @param bounds in any order; the narrower pattern wins
	 * @return the shares, none of them taken
	 * @throws IllegalArgumentException if a key may have two bounds, and neither pattern
	 * is the narrower one
	 */
	public static Shares of(Collection<ShareBound> bounds) {
		return new Shares(new KeyRules<>(bounds, ShareBound::pattern, List.of(Function.identity())));
	}

	/**
	 * Returns what bounds nothing.
	 * @return no bounds
	 */
	public static Shares none() {
		return NONE;
	}

	/**
	 * Refuses a request for more keys of a pattern than may be held at a time.
	 * @param keys its keys
	 * @throws IllegalArgumentException if it can never be served
	 */
	void check(List<String> keys) {
		if (keys.size() > 1 && isBounded(keys)) {
			Map<ShareBound, Integer> asked = new LinkedHashMap<>();
			keys.forEach((key) -> bound(key).ifPresent((bound) -> asked.merge(bound, 1, Integer::sum)));
			asked.forEach((bound, number) -> {
				if (number > bound.most()) {
					throw new IllegalArgumentException(
							"A request is for %d keys, but this instance may hold %s".formatted(number, bound));
				}
			});
		}
	}

	/**
	 * Returns whether shares are to be taken.
	 * @param keys what is asked for
	 * @return false if any number of these keys may be held
	 */
	boolean isBounded(List<String> keys) {
		return this.bounds.find(keys, Function.identity()).isPresent();
	}

	private Optional<ShareBound> bound(String key) {
		return this.bounds.find(List.of(key), Function.identity());
	}

	/**
	 * Prepares to take the shares for some keys.
	 * @param owner who asks
	 * @param keys what it does not hold yet
	 * @param served what to do when they are taken, if that is after a wait; must not
	 * throw
	 * @return takes nothing yet
	 */
	Claim claim(Object owner, List<String> keys, Runnable served) {
		Map<String, Quota> wanted = new HashMap<>();
		synchronized (this) {
			for (String key : keys) {
				bound(key).ifPresent((bound) -> wanted.put(key,
						this.quotas.computeIfAbsent(bound.pattern(), (pattern) -> new Quota(bound))));
			}
		}
		return new Claim(owner, wanted, served);
	}

	/**
	 * Counts what is taken or waited for.
	 * @return zero if nobody holds or wants anything
	 */
	public synchronized int count() {
		return this.holders.size()
				+ this.quotas.values().stream().mapToInt((quota) -> quota.users.size() + quota.waiting.size()).sum();
	}

	private List<Claim> serve(Collection<Quota> freed) {
		List<Claim> served = new ArrayList<>();
		Set<Quota> changed = new LinkedHashSet<>(freed);
		this.holders.removeIf((claim) -> {
			boolean fits = claim.fits();
			if (fits) {
				claim.take(served);
				changed.addAll(claim.quotas);
			}
			return fits;
		});
		Deque<Quota> open = new ArrayDeque<>(changed);
		while (!open.isEmpty()) {
			Claim first = open.element().first();
			if (first != null && first.isFirst() && first.fits()) {
				first.quotas.forEach((quota) -> quota.waiting.remove(first));
				first.take(served);
				open.addAll(first.quotas);
			}
			else {
				open.remove();
			}
		}
		return served;
	}

	private boolean isAwaitedByHolder(Quota quota) {
		return this.holders.stream().anyMatch((claim) -> claim.quotas.contains(quota));
	}

	private boolean isDeadlock(Claim asked) {
		// Owners are compared once: their own code runs then, under our monitor
		IdentityHashMap<ShareOwner, List<Claim>> waiting = new IdentityHashMap<>();
		Map<Quota, Map<String, Integer>> users = new HashMap<>();
		ShareOwner asking = asked.addTo(waiting, users);
		this.holders.forEach((claim) -> claim.addTo(waiting, users));
		Set<ShareOwner> left = Collections.newSetFromMap(new IdentityHashMap<>());
		left.addAll(this.owners.values());
		boolean changed = true;
		while (changed && left.contains(asking)) {
			changed = left.removeIf((owner) -> {
				boolean ends = waiting.getOrDefault(owner, List.of()).stream().allMatch((claim) -> claim.fits(users));
				if (ends) {
					owner.taken().forEach((claim) -> claim.open.forEach((key, quota) -> endUse(users.get(quota), key)));
				}
				return ends;
			});
		}
		return left.contains(asking);
	}

	private static void endUse(@Nullable Map<String, Integer> users, String key) {
		if (users != null) {
			users.computeIfPresent(key, (same, number) -> (number > 1) ? number - 1 : null);
		}
	}

	private static final class Quota {

		private final ShareBound bound;

		private final Set<Claim> waiting = new LinkedHashSet<>();

		/** How many claims use a key. */
		private final Map<String, Integer> users = new HashMap<>();

		Quota(ShareBound bound) {
			this.bound = bound;
		}

		@Nullable Claim first() {
			return this.waiting.isEmpty() ? null : this.waiting.iterator().next();
		}

	}

	/** The shares that one call wants or has. */
	final class Claim {

		/** One for all claims of an owner that has shares. */
		private ShareOwner owner;

		/** The keys that are wanted, or used. */
		private final Map<String, Quota> open;

		private final Set<Quota> quotas;

		private final Runnable served;

		private State state = State.NEW;

		private volatile @Nullable ShareBound inTheWay;

		private Claim(Object owner, Map<String, Quota> wanted, Runnable served) {
			this.owner = new ShareOwner(owner);
			this.open = wanted;
			this.served = served;
			this.quotas = new LinkedHashSet<>(wanted.values());
		}

		/**
		 * Takes the shares, or begins to wait for them.
		 * @param once whether not to wait
		 * @return what has become of the claim; LEFT if it was left before
		 */
		State begin(boolean once) {
			synchronized (Shares.this) {
				if (this.state == State.NEW) {
					boolean holds = Shares.this.owners.containsKey(this.owner);
					if (fits() && (holds || isFirst())) {
						take(new ArrayList<>());
					}
					else {
						this.inTheWay = this.quotas.stream()
							.filter((quota) -> !fits(quota, quota.users))
							.findFirst()
							.orElse(this.quotas.iterator().next()).bound;
						this.state = once ? State.BUSY : await(holds);
					}
				}
				return this.state;
			}
		}

		private State await(boolean holds) {
			if (!holds) {
				this.quotas.forEach((quota) -> quota.waiting.add(this));
			}
			else if (isDeadlock(this)) {
				return State.REFUSED;
			}
			else {
				Shares.this.holders.add(this);
			}
			return State.WAITING;
		}

		/**
		 * Ends the use of a key, if it has begun.
		 * @param key the key
		 */
		void giveBack(String key) {
			List<Claim> next = List.of();
			synchronized (Shares.this) {
				Quota quota = (this.state == State.TAKEN) ? this.open.remove(key) : null;
				if (quota != null) {
					endUse(quota.users, key);
					forgetIfOver();
					next = serve(List.of(quota));
				}
			}
			next.forEach((claim) -> claim.served.run());
		}

		/** Ends the use of all keys, and waits for none any more. */
		void leave() {
			List<Claim> next = List.of();
			synchronized (Shares.this) {
				State before = this.state;
				this.state = State.LEFT;
				if (before == State.TAKEN) {
					this.open.forEach((key, quota) -> endUse(quota.users, key));
					this.open.clear();
					forgetIfOver();
					next = serve(this.quotas);
				}
				else if (before == State.WAITING) {
					Shares.this.holders.remove(this);
					this.quotas.forEach((quota) -> quota.waiting.remove(this));
					next = serve(this.quotas);
				}
			}
			next.forEach((claim) -> claim.served.run());
		}

		/**
		 * Returns what kept the claim waiting.
		 * @return the bound that was reached, or null
		 */
		@Nullable ShareBound inTheWay() {
			return this.inTheWay;
		}

		/**
		 * Returns whether a key is used by this claim.
		 * @param key the key
		 * @return false if the key is not bounded, too
		 */
		boolean has(String key) {
			synchronized (Shares.this) {
				return this.state == State.TAKEN && this.open.containsKey(key);
			}
		}

		private boolean fits() {
			return this.quotas.stream().allMatch((quota) -> fits(quota, quota.users));
		}

		private boolean fits(Map<Quota, Map<String, Integer>> users) {
			return this.quotas.stream().allMatch((quota) -> fits(quota, users.getOrDefault(quota, Map.of())));
		}

		private ShareOwner addTo(IdentityHashMap<ShareOwner, List<Claim>> waiting,
				Map<Quota, Map<String, Integer>> users) {
			ShareOwner known = Shares.this.owners.getOrDefault(this.owner, this.owner);
			waiting.computeIfAbsent(known, (first) -> new ArrayList<>()).add(this);
			this.quotas.forEach((quota) -> users.computeIfAbsent(quota, (first) -> new HashMap<>(quota.users)));
			return known;
		}

		private boolean fits(Quota quota, Map<String, Integer> users) {
			int together = users.size();
			for (String key : this.open.keySet()) {
				if (this.open.get(key) == quota && !users.containsKey(key)) {
					together++;
				}
			}
			return together <= Math.max(quota.bound.most(), users.size());
		}

		private boolean isFirst() {
			return this.quotas.stream().allMatch((quota) -> {
				Claim first = quota.first();
				return (first == null || first == this) && !isAwaitedByHolder(quota);
			});
		}

		private void take(List<Claim> taking) {
			this.state = State.TAKEN;
			this.open.forEach((key, quota) -> quota.users.merge(key, 1, Integer::sum));
			this.owner = Shares.this.owners.computeIfAbsent(this.owner, Function.identity());
			this.owner.taken().add(this);
			taking.add(this);
		}

		private void forgetIfOver() {
			Set<Claim> taken = this.owner.taken();
			if (this.open.isEmpty() && taken.remove(this) && taken.isEmpty()) {
				Shares.this.owners.remove(this.owner);
			}
		}

	}

}
