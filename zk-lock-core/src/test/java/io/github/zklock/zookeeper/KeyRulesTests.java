package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.internal.client.KeyRules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyRulesTests {

	@Test
	void theNarrowerPatternWinsInWhateverOrderTheyCome() {
		List<KeyRule> rules = List.of(KeyRule.of("orders/*").strategy("two"), KeyRule.of("*").strategy("one"),
				KeyRule.of("orders/42").strategy("four"), KeyRule.of("orders/4*").strategy("three"));
		for (int shift = 0; shift < rules.size(); shift++) {
			List<KeyRule> shifted = new ArrayList<>(rules.subList(shift, rules.size()));
			shifted.addAll(rules.subList(0, shift));
			KeyRules<KeyRule> ordered = KeyRule.ordered(shifted);
			assertThat(List.of("stock", "orders/1", "orders/41", "orders/42"))
				.extracting((key) -> ordered.find(List.of(key), KeyRule::strategy).orElseThrow())
				.containsExactly("one", "two", "three", "four");
		}
	}

	@Test
	void whatTheNarrowerPatternDoesNotSetComesFromTheWiderOne() {
		KeyRules<KeyRule> rules = KeyRule
			.ordered(List.of(KeyRule.of("orders/*").strategy("naive").timeout(Duration.ofSeconds(5)),
					KeyRule.of("orders/42").timeout(Duration.ofSeconds(1)),
					new KeyRule("orders/42", null, null, 3, null, null, null),
					new KeyRule("*", null, null, 7, null, null, Duration.ofSeconds(2))));
		List<String> key = List.of("orders/42");
		assertThat(rules.find(key, KeyRule::strategy)).contains("naive");
		assertThat(rules.find(key, KeyRule::timeout)).contains(Duration.ofSeconds(1));
		assertThat(rules.over("orders/42", Handoff.DEFAULT, KeyRule::over)).isEqualTo(
				new Handoff(3, Handoff.DEFAULT.minDuration(), Handoff.DEFAULT.maxDuration(), Duration.ofSeconds(2)));
		assertThat(rules.over("stock", Handoff.DEFAULT, KeyRule::over).maxCount()).isEqualTo(7);
	}

	@Test
	void theLeastTenureIsTheConfiguredOneAlthoughAWiderRuleHasAShorterLongestOne() {
		Handoff general = new Handoff(256, Duration.ofMillis(500), Duration.ofMillis(100), Duration.ZERO);
		KeyRules<KeyRule> rules = KeyRule
			.ordered(List.of(new KeyRule("reports/*", null, null, null, null, Duration.ofSeconds(2), null),
					new KeyRule("*", null, null, null, null, Duration.ofMillis(10), null)));
		assertThat(rules.over("reports/1", general, KeyRule::over))
			.extracting(Handoff::minDuration, Handoff::maxDuration)
			.containsExactly(Duration.ofMillis(500), Duration.ofSeconds(2));
	}

	@Test
	void ofSeveralKeysTheFirstThatARuleSaysAnythingOfApplies() {
		KeyRules<KeyRule> rules = KeyRule
			.ordered(List.of(KeyRule.of("a").strategy("one"), KeyRule.of("b").strategy("two").timeout(Duration.ZERO)));
		assertThat(rules.find(List.of("x", "b", "a"), KeyRule::strategy)).contains("two");
		assertThat(rules.find(List.of("a", "b"), KeyRule::strategy)).contains("one");
		assertThat(rules.find(List.of("a", "b"), KeyRule::timeout)).contains(Duration.ZERO);
		assertThat(rules.find(List.of("x", "y"), KeyRule::strategy)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/items", "o*s/*s", "orders/**" })
	void rulesThatContradictEachOtherAreRefused(String other) {
		KeyRule rule = KeyRule.of("orders/*").strategy("naive");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> KeyRule.ordered(List.of(rule, KeyRule.of(other).strategy("sequential"))))
			.withMessageContaining("orders/*")
			.withMessageContaining(other);
		assertThat(KeyRule.ordered(List.of(rule, KeyRule.of(other).strategy("naive")))
			.find(List.of("orders/1/items"), KeyRule::strategy)).contains("naive");
		assertThat(KeyRule.ordered(List.of(rule, KeyRule.of(other).timeout(Duration.ZERO)))
			.find(List.of("orders/1/items"), KeyRule::strategy)).contains("naive");
	}

	@Test
	void patternsWithCommonKeysHaveNoBoundEachAlsoNotTheSameNumber() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> KeyRule.ordered(List.of(KeyRule.of("a*").maxHeld(2), KeyRule.of("*b").maxHeld(2))))
			.withMessage(
					"The key patterns 'a*' and '*b' both set max-held, a key may match both, and neither is the narrower one");
	}

	@Test
	void patternsWithoutACommonKeyMaySayWhatTheyLike() {
		KeyRules<KeyRule> rules = KeyRule
			.ordered(List.of(KeyRule.of("a*").strategy("naive"), KeyRule.of("b*").strategy("sequential")));
		assertThat(rules.find(List.of("b"), KeyRule::strategy)).contains("sequential");
	}

	@Test
	void badRulesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> KeyRule.of(""));
		assertThatIllegalArgumentException().isThrownBy(() -> KeyRule.of("k").timeout(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> KeyRule.of("k").maxHeld(0));
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyRule("k", null, null, -1, null, null, null));
	}

}
