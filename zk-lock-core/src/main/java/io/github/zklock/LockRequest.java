package io.github.zklock;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What to lock: which keys, in which modes, how long to queue at most. Immutable; every
 * method returns a changed copy.
 *
 * @since 0.1.0
 */
public final class LockRequest {

	/** The longest key, in characters. */
	public static final int MAX_KEY_LENGTH = 1024;

	/** The most permits that a key can have. */
	public static final int MAX_PERMITS = 10_000;

	private static final List<Integer> NO_PERMIT = List.of(0);

	private final List<String> keys;

	private final List<LockMode> modes;

	private final List<Integer> permits;

	private final @Nullable Duration timeout;

	private final @Nullable Duration answerTimeout;

	private final @Nullable String strategy;

	private final @Nullable Duration maxHold;

	private final @Nullable Object owner;

	private final @Nullable String template;

	private LockRequest(List<String> keys, List<LockMode> modes, List<Integer> permits, @Nullable Duration timeout,
			@Nullable Duration answerTimeout, @Nullable String strategy, @Nullable Duration maxHold,
			@Nullable Object owner, @Nullable String template) {
		this.keys = keys;
		this.modes = modes;
		this.permits = permits;
		this.timeout = timeout;
		this.answerTimeout = answerTimeout;
		this.strategy = strategy;
		this.maxHold = maxHold;
		this.owner = owner;
		this.template = template;
	}

	/**
	 * Asks for one key in mode {@link LockMode#EXCLUSIVE}.
	 * @param key any non-empty text of up to {@value #MAX_KEY_LENGTH} characters
	 * @return the request, with the client's default time-out and strategy
	 * @throws IllegalArgumentException if the key is empty, too long or not well-formed
	 * Unicode
	 */
	public static LockRequest exclusive(String key) {
		return of(List.of(key), LockMode.EXCLUSIVE);
	}

	/**
	 * Asks for one key in mode {@link LockMode#READ}.
	 * @param key any non-empty text of up to {@value #MAX_KEY_LENGTH} characters
	 * @return the request, with the client's default time-out and strategy
	 * @throws IllegalArgumentException as {@link #exclusive(String)}
	 */
	public static LockRequest read(String key) {
		return of(List.of(key), LockMode.READ);
	}

	/**
	 * Asks for one key in mode {@link LockMode#WRITE}.
	 * @param key any non-empty text of up to {@value #MAX_KEY_LENGTH} characters
	 * @return the request, with the client's default time-out and strategy
	 * @throws IllegalArgumentException as {@link #exclusive(String)}
	 */
	public static LockRequest write(String key) {
		return of(List.of(key), LockMode.WRITE);
	}

	/**
	 * Asks for one of the permits of a key, as of a semaphore: at most so many holders at
	 * a time, in all processes together. Callers are served in the order in which they
	 * came, with the naive strategy too. A permit comes back when it is released, or with
	 * the session of a holder that has died. Locks of the key exclude its permits, and
	 * permits locks, in the order in which they came.
	 *
	 * <p>
	 * As long as clients ask with different numbers, as in a rolling change, the smaller
	 * one applies to all who come behind: no holder ever shares with more than it has
	 * asked for. Within one client only one number is accepted at a time; only requests
	 * of several keys may have another one, as those of other clients. An owner has one
	 * permit of a key, however often it enters; another one is another owner's
	 * ({@link #owner(Object)}). The fencing token is unique, but with several holders at
	 * a time no fence; the mode is {@link LockMode#EXCLUSIVE}.
	 * @param key any non-empty text of up to {@value #MAX_KEY_LENGTH} characters
	 * @param permits how many may hold it at a time, from 1 to {@value #MAX_PERMITS}
	 * @return the request, with the client's default time-out and strategy
	 * @throws IllegalArgumentException as {@link #exclusive(String)}, or if the number is
	 * out of bounds
	 */
	public static LockRequest permits(String key, int permits) {
		RequestChecks.permits(key, permits);
		RequestChecks.key(key);
		return new LockRequest(List.of(key), List.of(LockMode.EXCLUSIVE), List.of(permits), null, null, null, null,
				null, null);
	}

	/**
	 * Asks for several keys at once, all or none, in mode {@link LockMode#EXCLUSIVE}
	 * unless {@link #mode(LockMode)} says otherwise. Their order does not matter: two
	 * such requests never wait for each other in a circle. One and a caller that takes
	 * the same keys one after the other may.
	 * @param keys at least one key; repeated ones are ignored
	 * @return the request, with the client's default time-out and strategy
	 * @throws IllegalArgumentException if there is no key, or one is bad as in
	 * {@link #exclusive(String)}
	 */
	public static LockRequest keys(Collection<String> keys) {
		return of(keys, LockMode.EXCLUSIVE);
	}

	private static LockRequest of(Collection<String> keys, LockMode mode) {
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("A lock request needs at least one key");
		}
		keys.forEach(RequestChecks::key);
		List<String> distinct = List.copyOf((keys.size() == 1) ? keys : new LinkedHashSet<>(keys));
		return new LockRequest(distinct, same(List.of(mode), distinct.size()), same(NO_PERMIT, distinct.size()), null,
				null, null, null, null, null);
	}

	private static <T> List<T> same(List<T> one, int count) {
		return (count == 1) ? one : Collections.nCopies(count, one.get(0));
	}

	/**
	 * Adds the keys of another request, each in its own mode: all are acquired together,
	 * or none.
	 *
	 * <pre class="code">
	 * LockRequest.read("tariff").and(LockRequest.write("account"))
	 * </pre>
	 *
	 * A key that both have is asked for once, in the stronger of both modes. What only
	 * one of them says besides, such as a time-out, applies to all; templates are joined.
	 * @param other a request for other keys
	 * @return a changed copy; the other's new keys come last
	 * @throws IllegalArgumentException if both say something besides, and not the same,
	 * or if both have a key of which one of them wants a permit
	 */
	public LockRequest and(LockRequest other) {
		Map<String, LockMode> merged = new LinkedHashMap<>();
		Map<String, Integer> numbers = new HashMap<>();
		for (LockRequest each : List.of(this, other)) {
			for (int i = 0; i < each.keys.size(); i++) {
				String key = each.keys.get(i);
				merged.merge(key, each.modes.get(i), LockMode::strongest);
				numbers.merge(key, each.permits.get(i), (ours, others) -> RequestChecks.oneOf(key, ours, others));
			}
		}
		return new LockRequest(List.copyOf(merged.keySet()), List.copyOf(merged.values()),
				merged.keySet().stream().map(numbers::get).toList(),
				RequestChecks.agreed("time-out", this.timeout, other.timeout),
				RequestChecks.agreed("answerTimeout", this.answerTimeout, other.answerTimeout),
				RequestChecks.agreed("strategy", this.strategy, other.strategy),
				RequestChecks.agreed("maxHold", this.maxHold, other.maxHold),
				RequestChecks.agreed("owner", this.owner, other.owner),
				RequestChecks.joined(this.template, other.template));
	}

	/**
	 * Changes the mode.
	 * @param mode the mode for all keys
	 * @return a changed copy
	 * @throws IllegalArgumentException if a permit is asked for, and the mode is not
	 * {@link LockMode#EXCLUSIVE}
	 */
	public LockRequest mode(LockMode mode) {
		if (mode != LockMode.EXCLUSIVE && this.permits.stream().anyMatch((number) -> number > 0)) {
			throw new IllegalArgumentException(
					"A permit has no mode, but %s of %s was asked for".formatted(mode, this.keys));
		}
		return new LockRequest(this.keys, same(List.of(mode), this.keys.size()), this.permits, this.timeout,
				this.answerTimeout, this.strategy, this.maxHold, this.owner, this.template);
	}

	/**
	 * Sets how long to queue at most. One deadline covers connecting, creating and
	 * waiting for all keys.
	 * @param timeout zero tries once; a duration beyond what fits in nanoseconds means
	 * forever. One above zero that is shorter than a round trip to the servers cannot
	 * succeed where one is needed: to try once, use zero, which waits for their answers
	 * for {@link #answerTimeout(Duration)}
	 * @return a changed copy
	 * @throws IllegalArgumentException if negative
	 */
	public LockRequest timeout(Duration timeout) {
		if (timeout.isNegative()) {
			throw new IllegalArgumentException("A lock time-out must not be negative, but is " + timeout);
		}
		return new LockRequest(this.keys, this.modes, this.permits, timeout, this.answerTimeout, this.strategy,
				this.maxHold, this.owner, this.template);
	}

	/**
	 * Sets how long a request whose time-out is zero waits for ZooKeeper. It does not
	 * wait for other holders, however long this is; requests with another time-out do not
	 * use it. The default may be too short for a busy server, and right after a lost
	 * connection, see {@link LockUnavailableException}.
	 * @param answerTimeout a positive duration; 150 ms unless set
	 * @return a changed copy
	 * @throws IllegalArgumentException if zero or negative
	 */
	public LockRequest answerTimeout(Duration answerTimeout) {
		RequestChecks.positive("answerTimeout", answerTimeout);
		return new LockRequest(this.keys, this.modes, this.permits, this.timeout, answerTimeout, this.strategy,
				this.maxHold, this.owner, this.template);
	}

	/**
	 * Chooses the strategy by name.
	 * @param strategy {@code naive}, {@code sequential} or the name of one of the user's
	 * own; an unknown name is refused by the client
	 * @return a changed copy
	 */
	public LockRequest strategy(String strategy) {
		return new LockRequest(this.keys, this.modes, this.permits, this.timeout, this.answerTimeout,
				Objects.requireNonNull(strategy), this.maxHold, this.owner, this.template);
	}

	/**
	 * Bounds how long the lock may be held. Then the lock is given up and is lost. On a
	 * re-entry the earliest bound of the owner's handles applies.
	 * @param maxHold a positive duration
	 * @return a changed copy
	 * @throws IllegalArgumentException if zero or negative
	 */
	public LockRequest maxHold(Duration maxHold) {
		RequestChecks.positive("maxHold", maxHold);
		return new LockRequest(this.keys, this.modes, this.permits, this.timeout, this.answerTimeout, this.strategy,
				maxHold, this.owner, this.template);
	}

	/**
	 * Names the owner that may re-enter, instead of the calling thread.
	 * @param owner compared by {@code equals}
	 * @return a changed copy
	 */
	public LockRequest owner(Object owner) {
		return new LockRequest(this.keys, this.modes, this.permits, this.timeout, this.answerTimeout, this.strategy,
				this.maxHold, Objects.requireNonNull(owner), this.template);
	}

	/**
	 * Names what represents the keys in metrics and traces, where there must be few
	 * different ones: {@code orders/{id}}, not {@code orders/42}. A locked method has its
	 * key expression there.
	 * @param template any text that does not depend on the keys
	 * @return a changed copy
	 */
	public LockRequest template(String template) {
		return new LockRequest(this.keys, this.modes, this.permits, this.timeout, this.answerTimeout, this.strategy,
				this.maxHold, this.owner, Objects.requireNonNull(template));
	}

	/**
	 * Returns the keys.
	 * @return at least one key, without repetition, in the order given
	 */
	public List<String> keys() {
		return this.keys;
	}

	/**
	 * Returns the mode.
	 * @return the mode of all keys, or the strongest if they differ
	 */
	public LockMode mode() {
		return LockMode.strongest(this.modes);
	}

	/**
	 * Returns the mode of each key.
	 * @return as many as there are keys, in the order of {@link #keys()}
	 */
	public List<LockMode> modes() {
		return this.modes;
	}

	/**
	 * Returns how many may hold each key together.
	 * @return as many as there are keys, in the order of {@link #keys()}: the number
	 * where a permit is asked for, 0 for a lock
	 */
	public List<Integer> permits() {
		return this.permits;
	}

	/**
	 * Returns how long to queue at most.
	 * @return the time-out, or null for the client's default
	 */
	public @Nullable Duration timeout() {
		return this.timeout;
	}

	/**
	 * Returns how long a request whose time-out is zero waits for ZooKeeper.
	 * @return a positive duration, or null for 150 ms
	 */
	public @Nullable Duration answerTimeout() {
		return this.answerTimeout;
	}

	/**
	 * Returns the chosen strategy.
	 * @return its name, or null for the client's default
	 */
	public @Nullable String strategy() {
		return this.strategy;
	}

	/**
	 * Returns the bound of the hold.
	 * @return a positive duration, or null for none
	 */
	public @Nullable Duration maxHold() {
		return this.maxHold;
	}

	/**
	 * Returns the owner.
	 * @return the owner, or null for the default of the method called
	 */
	public @Nullable Object owner() {
		return this.owner;
	}

	/**
	 * Returns what represents the keys in metrics and traces.
	 * @return the template, or null for none
	 */
	public @Nullable String template() {
		return this.template;
	}

	private List<@Nullable Object> fields() {
		return Arrays.asList(this.keys, this.modes, this.permits, this.timeout, this.answerTimeout, this.strategy,
				this.maxHold, this.owner, this.template);
	}

	/**
	 * Returns whether another request asks for the same: all that it says is equal, also
	 * the order of its keys.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockRequest request && fields().equals(request.fields());
	}

	@Override
	public int hashCode() {
		return fields().hashCode();
	}

	@Override
	public String toString() {
		boolean differ = Set.copyOf(this.modes).size() > 1;
		boolean locks = this.permits.stream().allMatch((number) -> number == 0);
		return "LockRequest[keys=" + this.keys + ", mode=" + (differ ? this.modes : mode())
				+ (locks ? "" : ", permits=" + this.permits) + ", timeout=" + this.timeout
				+ ((this.answerTimeout != null) ? ", answerTimeout=" + this.answerTimeout : "") + ", strategy="
				+ this.strategy + ", maxHold=" + this.maxHold + ((this.owner != null) ? ", owner=" + this.owner : "")
				+ ((this.template != null) ? ", template=" + this.template : "") + "]";
	}

}
