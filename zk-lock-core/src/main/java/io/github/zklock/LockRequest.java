package io.github.zklock;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What to lock: which keys, in which mode, how long to queue at most. Immutable; every
 * method returns a changed copy.
 *
 * @since 0.1.0
 */
public final class LockRequest {

	/** The longest key, in characters. */
	public static final int MAX_KEY_LENGTH = 1024;

	private final List<String> keys;

	private final LockMode mode;

	private final @Nullable Duration timeout;

	private final @Nullable String strategy;

	private final @Nullable Duration maxHold;

	private final @Nullable Object owner;

	private final @Nullable String template;

	private LockRequest(List<String> keys, LockMode mode, @Nullable Duration timeout, @Nullable String strategy,
			@Nullable Duration maxHold, @Nullable Object owner, @Nullable String template) {
		this.keys = keys;
		this.mode = mode;
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
		return new LockRequest(List.copyOf(new LinkedHashSet<>(keys)), mode, null, null, null, null, null);
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
	 * Changes the mode.
	 * @param mode the mode for all keys
	 * @return a changed copy
	 */
	public LockRequest mode(LockMode mode) {
		return new LockRequest(this.keys, Objects.requireNonNull(mode), this.timeout, this.strategy, this.maxHold,
				this.owner, this.template);
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
		return new LockRequest(this.keys, this.mode, timeout, this.strategy, this.maxHold, this.owner, this.template);
	}

	/**
	 * Chooses the strategy by name.
	 * @param strategy {@code naive}, {@code sequential} or the name of one of the user's
	 * own; an unknown name is refused by the client
	 * @return a changed copy
	 */
	public LockRequest strategy(String strategy) {
		return new LockRequest(this.keys, this.mode, this.timeout, Objects.requireNonNull(strategy), this.maxHold,
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
		return new LockRequest(this.keys, this.mode, this.timeout, this.strategy, maxHold, this.owner, this.template);
	}

	/**
	 * Names the owner that may re-enter, instead of the calling thread.
	 * @param owner compared by {@code equals}
	 * @return a changed copy
	 */
	public LockRequest owner(Object owner) {
		return new LockRequest(this.keys, this.mode, this.timeout, this.strategy, this.maxHold,
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
		return new LockRequest(this.keys, this.mode, this.timeout, this.strategy, this.maxHold, this.owner,
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
	 * @return the mode for all keys
	 */
	public LockMode mode() {
		return this.mode;
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
		return "LockRequest[keys=" + this.keys + ", mode=" + this.mode + ", timeout=" + this.timeout + ", strategy="
				+ this.strategy + ", maxHold=" + this.maxHold + "]";
	}

}
