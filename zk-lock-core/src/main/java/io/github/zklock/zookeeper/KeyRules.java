package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import io.github.zklock.Handoff;

/**
 * All rules of a client. Of the rules that match a key, the one with the narrower pattern
 * comes first; each of its settings is taken from the first rule that has it.
 */
final class KeyRules {

	private static final List<Function<KeyRule, ?>> SETTINGS = List.of(KeyRule::strategy, KeyRule::timeout,
			KeyRule::maxCount, KeyRule::minDuration, KeyRule::maxDuration, KeyRule::retain);

	/** Narrow patterns come before wide ones. */
	private final List<Entry> entries = new ArrayList<>();

	/**
	 * Orders the rules.
	 * @param rules in any order
	 * @throws IllegalArgumentException if two of them set the same for a key,
	 * differently, and neither is the narrower one
	 */
	KeyRules(Collection<KeyRule> rules) {
		for (KeyRule rule : rules) {
			Entry fresh = new Entry(new KeyPattern(rule.pattern()), rule);
			this.entries.forEach((known) -> check(known, fresh));
			int index = 0;
			while (index < this.entries.size() && !fresh.isNarrowerThan(this.entries.get(index))) {
				index++;
			}
			this.entries.add(index, fresh);
		}
	}

	private static void check(Entry one, Entry other) {
		boolean ordered = one.isNarrowerThan(other) || other.isNarrowerThan(one);
		if (!ordered && one.pattern().meets(other.pattern())
				&& SETTINGS.stream().anyMatch((setting) -> differ(setting, one.rule(), other.rule()))) {
			throw new IllegalArgumentException(
					"The key patterns '%s' and '%s' set the same differently, a key may match both, and neither is the narrower one"
						.formatted(one.rule().pattern(), other.rule().pattern()));
		}
	}

	private static boolean differ(Function<KeyRule, ?> setting, KeyRule one, KeyRule other) {
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
	<T> Optional<T> find(List<String> keys, Function<KeyRule, T> setting) {
		if (this.entries.isEmpty()) {
			return Optional.empty();
		}
		return keys.stream()
			.flatMap((key) -> this.entries.stream().filter((entry) -> entry.pattern().matches(key)))
			.flatMap((entry) -> Optional.ofNullable(setting.apply(entry.rule())).stream())
			.findFirst();
	}

	/**
	 * Finds the bounds of a key's cohort.
	 * @param key the key
	 * @param general what holds where no rule says anything
	 * @return the bounds
	 */
	Handoff handoff(String key, Handoff general) {
		Handoff bounds = general;
		for (int at = this.entries.size() - 1; at >= 0; at--) {
			Entry entry = this.entries.get(at);
			if (entry.pattern().matches(key)) {
				bounds = entry.rule().over(bounds);
			}
		}
		return bounds;
	}

	private record Entry(KeyPattern pattern, KeyRule rule) {

		boolean isNarrowerThan(Entry other) {
			return other.pattern.covers(this.pattern) && !this.pattern.covers(other.pattern);
		}

	}

}
