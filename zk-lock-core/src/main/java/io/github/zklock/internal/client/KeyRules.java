package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * All rules of a client for keys that match a pattern. Of the rules that match a key, the
 * one with the narrower pattern comes first; each of its settings is taken from the first
 * rule that has it.
 *
 * @param <R> the type of a rule
 */
public final class KeyRules<R> {

	/** Narrow patterns come before wide ones. */
	private final List<Ranked<R>> ranked = new ArrayList<>();

	private final List<Function<R, ?>> settings;

	/**
	 * Orders the rules.
	 * @param rules in any order
	 * @param pattern returns the pattern of a rule
	 * @param settings what a rule may set, each null where it does not
	 * @throws IllegalArgumentException if two of them set the same for a key,
	 * differently, and neither is the narrower one
	 */
	public KeyRules(Collection<R> rules, Function<R, String> pattern, List<Function<R, ?>> settings) {
		this.settings = List.copyOf(settings);
		for (R rule : rules) {
			Ranked<R> fresh = new Ranked<>(new KeyPattern(pattern.apply(rule)), rule);
			this.ranked.forEach((known) -> check(known, fresh));
			int index = 0;
			while (index < this.ranked.size() && !fresh.isNarrowerThan(this.ranked.get(index))) {
				index++;
			}
			this.ranked.add(index, fresh);
		}
	}

	private void check(Ranked<R> one, Ranked<R> other) {
		if (one.isNarrowerThan(other) || other.isNarrowerThan(one) || !one.pattern().meets(other.pattern())) {
			return;
		}
		for (Function<R, ?> setting : this.settings) {
			if (differ(setting, one.rule(), other.rule())) {
				// Each bounds the keys of its own pattern, also with the same number
				boolean bound = setting.apply(one.rule()) instanceof ShareBound;
				throw new IllegalArgumentException(
						"The key patterns '%s' and '%s' %s, a key may match both, and neither is the narrower one"
							.formatted(one.pattern().text(), other.pattern().text(),
									bound ? "both set max-held" : "set the same differently"));
			}
		}
	}

	private static <R> boolean differ(Function<R, ?> setting, R one, R other) {
		Object mine = setting.apply(one);
		Object theirs = setting.apply(other);
		return mine != null && theirs != null && !Objects.equals(mine, theirs);
	}

	/**
	 * Finds what the rules say of a request.
	 * @param <T> the type of the setting
	 * @param keys the keys of the request
	 * @param setting what is looked for
	 * @return what holds for the first of the keys for which a rule says anything
	 */
	public <T> Optional<T> find(List<String> keys, Function<R, @Nullable T> setting) {
		// Each lock asks: no iterators, and no match for a rule that says nothing
		for (int i = 0; i < keys.size(); i++) {
			for (int at = 0; at < this.ranked.size(); at++) {
				Ranked<R> one = this.ranked.get(at);
				@Nullable T said = setting.apply(one.rule());
				if (said != null && one.pattern().matches(keys.get(i))) {
					return Optional.of(said);
				}
			}
		}
		return Optional.empty();
	}

	/**
	 * Puts what the rules say of a key over what holds for all keys, narrow rules last.
	 * @param <T> the type of the result
	 * @param key the key
	 * @param general what holds where no rule says anything
	 * @param over puts a rule over what holds without it
	 * @return what holds for the key
	 */
	public <T> T over(String key, T general, BiFunction<R, T, T> over) {
		T result = general;
		for (int at = this.ranked.size() - 1; at >= 0; at--) {
			Ranked<R> one = this.ranked.get(at);
			if (one.pattern().matches(key)) {
				result = over.apply(one.rule(), result);
			}
		}
		return result;
	}

	private record Ranked<R>(KeyPattern pattern, R rule) {

		boolean isNarrowerThan(Ranked<R> other) {
			return other.pattern.covers(this.pattern) && !this.pattern.covers(other.pattern);
		}

	}

}
