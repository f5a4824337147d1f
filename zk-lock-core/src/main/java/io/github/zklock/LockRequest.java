package io.github.zklock;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

	private final List<String> keys;

	private final List<LockMode> modes;

	private final @Nullable Duration timeout;

	private final @Nullable String strategy;

	private final @Nullable Duration maxHold;

	private final @Nullable Object owner;

	private final @Nullable String template;

	private LockRequest(List<String> keys, List<LockMode> modes, @Nullable Duration timeout, @Nullable String strategy,
			@Nullable Duration maxHold, @Nullable Object owner, @Nullable String template) {
		this.keys = keys;
		this.modes = modes;
		this.timeout = timeout;
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
	 * Asks for several keys at once, all or none, in mode {@link LockMode#EXCLUSIVE}
	 * unless {@link #mode(LockMode)} says otherwise. Their order does not matter: two
	 * such requests never wait for each other in a circle.
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
		keys.forEach(LockRequest::checkKey);
		List<String> distinct = List.copyOf(new LinkedHashSet<>(keys));
		return new LockRequest(distinct, same(mode, distinct.size()), null, null, null, null, null);
	}

	private static List<LockMode> same(LockMode mode, int count) {
		return (count == 1) ? List.of(mode) : Collections.nCopies(count, Objects.requireNonNull(mode));
	}

	private static void checkKey(String key) {
		if (key.isEmpty()) {
			throw new IllegalArgumentException("A lock key must not be empty");
		}
		if (key.length() > MAX_KEY_LENGTH) {
			throw new IllegalArgumentException(
					"A lock key must have at most %d characters, but this one has %d: '%s...'".formatted(MAX_KEY_LENGTH,
							key.length(), key.substring(0, 40)));
		}
		try {
			StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
		}
		catch (CharacterCodingException ex) {
			throw new IllegalArgumentException(
					"A lock key must be well-formed Unicode, but this one has a lone surrogate", ex);
		}
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
	 * @throws IllegalArgumentException if both say something besides, and not the same
	 */
	public LockRequest and(LockRequest other) {
		Map<String, LockMode> merged = new LinkedHashMap<>();
		for (LockRequest each : List.of(this, other)) {
			for (int i = 0; i < each.keys.size(); i++) {
				merged.merge(each.keys.get(i), each.modes.get(i), LockMode::strongest);
			}
		}
		return new LockRequest(List.copyOf(merged.keySet()), List.copyOf(merged.values()),
				agreed("time-out", this.timeout, other.timeout), agreed("strategy", this.strategy, other.strategy),
				agreed("maxHold", this.maxHold, other.maxHold), agreed("owner", this.owner, other.owner),
				joined(this.template, other.template));
	}

	private static @Nullable String joined(@Nullable String ours, @Nullable String others) {
		boolean both = ours != null && others != null && !ours.equals(others);
		return both ? ours + ", " + others : Optional.ofNullable(ours).orElse(others);
	}

	private static <T> @Nullable T agreed(String what, @Nullable T ours, @Nullable T others) {
		if (ours != null && others != null && !ours.equals(others)) {
			throw new IllegalArgumentException(
					"Lock requests can be joined only if they agree, but the %s of one is %s, and of the other %s"
						.formatted(what, ours, others));
		}
		return (ours != null) ? ours : others;
	}

	/**
	 * Changes the mode.
	 * @param mode the mode for all keys
	 * @return a changed copy
	 */
	public LockRequest mode(LockMode mode) {
		return new LockRequest(this.keys, same(Objects.requireNonNull(mode), this.keys.size()), this.timeout,
				this.strategy, this.maxHold, this.owner, this.template);
	}

	/**
	 * Sets how long to queue at most. One deadline covers connecting, creating and
	 * waiting for all keys.
	 * @param timeout zero tries once; a duration beyond what fits in nanoseconds means
	 * forever
	 * @return a changed copy
	 * @throws IllegalArgumentException if negative
	 */
	public LockRequest timeout(Duration timeout) {
		if (timeout.isNegative()) {
			throw new IllegalArgumentException("A lock time-out must not be negative, but is " + timeout);
		}
		return new LockRequest(this.keys, this.modes, timeout, this.strategy, this.maxHold, this.owner, this.template);
	}

	/**
	 * Chooses the strategy by name.
	 * @param strategy {@code naive}, {@code sequential} or the name of one of the user's
	 * own; an unknown name is refused by the client
	 * @return a changed copy
	 */
	public LockRequest strategy(String strategy) {
		return new LockRequest(this.keys, this.modes, this.timeout, Objects.requireNonNull(strategy), this.maxHold,
				this.owner, this.template);
	}

	/**
	 * Bounds how long the lock may be held. Then the lock is given up and is lost. On a
	 * re-entry the earliest bound of the owner's handles applies.
	 * @param maxHold a positive duration
	 * @return a changed copy
	 * @throws IllegalArgumentException if zero or negative
	 */
	public LockRequest maxHold(Duration maxHold) {
		if (maxHold.isNegative() || maxHold.isZero()) {
			throw new IllegalArgumentException("maxHold must be positive, but is " + maxHold);
		}
		return new LockRequest(this.keys, this.modes, this.timeout, this.strategy, maxHold, this.owner, this.template);
	}

	/**
	 * Names the owner that may re-enter, instead of the calling thread.
	 * @param owner compared by {@code equals}
	 * @return a changed copy
	 */
	public LockRequest owner(Object owner) {
		return new LockRequest(this.keys, this.modes, this.timeout, this.strategy, this.maxHold,
				Objects.requireNonNull(owner), this.template);
	}

	/**
	 * Names what represents the keys in metrics and traces, where there must be few
	 * different ones: {@code orders/{id}}, not {@code orders/42}. A locked method has its
	 * key expression there.
	 * @param template any text that does not depend on the keys
	 * @return a changed copy
	 */
	public LockRequest template(String template) {
		return new LockRequest(this.keys, this.modes, this.timeout, this.strategy, this.maxHold, this.owner,
				Objects.requireNonNull(template));
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
		LockMode strongest = this.modes.get(0);
		for (int i = 1; i < this.modes.size(); i++) {
			strongest = strongest.strongest(this.modes.get(i));
		}
		return strongest;
	}

	/**
	 * Returns the mode of each key.
	 * @return as many as there are keys, in the order of {@link #keys()}
	 */
	public List<LockMode> modes() {
		return this.modes;
	}

	/**
	 * Returns how long to queue at most.
	 * @return the time-out, or null for the client's default
	 */
	public @Nullable Duration timeout() {
		return this.timeout;
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

	@Override
	public String toString() {
		boolean differ = Set.copyOf(this.modes).size() > 1;
		return "LockRequest[keys=" + this.keys + ", mode=" + (differ ? this.modes : mode()) + ", timeout="
				+ this.timeout + ", strategy=" + this.strategy + ", maxHold=" + this.maxHold + "]";
	}

}
