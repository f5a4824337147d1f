package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyRulesTests {

	@ParameterizedTest
	@CsvSource({ "orders,orders,true", "orders,order,false", "order,orders,false", "*,orders/1,true", "*,'',true",
			"orders/*,orders/1/items,true", "orders/*,orders/,true", "orders/*,orders,false", "*/items,a/b/items,true",
			"*/items,a/items/b,false", "a*b*c,a-b-b-c,true", "a*b*c,acb,false", "a**,a,true", "a*a,a,false",
			"a.c,abc,false", "a*b,a*b,true" })
	void aStarStandsForAnyText(String pattern, String key, boolean matches) {
		assertThat(new KeyPattern(pattern).matches(key)).isEqualTo(matches);
	}

	@ParameterizedTest
	@CsvSource({ "*,orders,true", "orders/*,orders/1,true", "orders/*,orders/*/items,true",
			"orders/*/items,orders/*,false", "a*,*a,false", "*a*,a*,true", "a**,a*,true", "a*,a**,true",
			"ab,a*,false" })
	void aPatternCoversAnotherIfItHasAllOfItsKeys(String wide, String narrow, boolean covers) {
		assertThat(new KeyPattern(wide).covers(new KeyPattern(narrow))).isEqualTo(covers);
	}

	@ParameterizedTest
	@CsvSource({ "a*,*b,true", "a*,b*,false", "a*c,*b*,true", "a*c,ab*,true", "a*c,*d,false", "abc,abc,true",
			"abc,abd,false", "*,x,true", "a*b,a*b*,true", "ab,a,false", "a*,a,true", "*a*b,b*a,false",
			"a*b,ba*,false" })
	void patternsMeetIfAKeyMatchesBoth(String one, String other, boolean meet) {
		assertThat(new KeyPattern(one).meets(new KeyPattern(other))).isEqualTo(meet);
		assertThat(new KeyPattern(other).meets(new KeyPattern(one))).isEqualTo(meet);
	}

	@Test
	void theNarrowerPatternWinsInWhateverOrderTheyCome() {
		List<KeyRule> rules = List.of(KeyRule.of("orders/*").strategy("two"), KeyRule.of("*").strategy("one"),
				KeyRule.of("orders/42").strategy("four"), KeyRule.of("orders/4*").strategy("three"));
		for (int shift = 0; shift < rules.size(); shift++) {
			List<KeyRule> shifted = new ArrayList<>(rules.subList(shift, rules.size()));
			shifted.addAll(rules.subList(0, shift));
			KeyRules ordered = new KeyRules(shifted);
			assertThat(List.of("stock", "orders/1", "orders/41", "orders/42"))
				.extracting((key) -> ordered.find(List.of(key), KeyRule::strategy).orElseThrow())
				.containsExactly("one", "two", "three", "four");
		}
	}

	@Test
	void whatTheNarrowerPatternDoesNotSetComesFromTheWiderOne() {
		KeyRules rules = new KeyRules(List.of(KeyRule.of("orders/*").strategy("naive").timeout(Duration.ofSeconds(5)),
				KeyRule.of("orders/42").timeout(Duration.ofSeconds(1)),
				new KeyRule("orders/42", null, null, 3, null, null, null),
				new KeyRule("*", null, null, 7, null, null, Duration.ofSeconds(2))));
		List<String> key = List.of("orders/42");
		assertThat(rules.find(key, KeyRule::strategy)).contains("naive");
		assertThat(rules.find(key, KeyRule::timeout)).contains(Duration.ofSeconds(1));
		assertThat(rules.handoff("orders/42", Handoff.DEFAULT)).isEqualTo(
				new Handoff(3, Handoff.DEFAULT.minDuration(), Handoff.DEFAULT.maxDuration(), Duration.ofSeconds(2)));
		assertThat(rules.handoff("stock", Handoff.DEFAULT).maxCount()).isEqualTo(7);
	}

	@Test
	void ofSeveralKeysTheFirstThatARuleSaysAnythingOfApplies() {
		KeyRules rules = new KeyRules(
				List.of(KeyRule.of("a").strategy("one"), KeyRule.of("b").strategy("two").timeout(Duration.ZERO)));
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
			.isThrownBy(() -> new KeyRules(List.of(rule, KeyRule.of(other).strategy("sequential"))))
			.withMessageContaining("orders/*")
			.withMessageContaining(other);
		assertThat(new KeyRules(List.of(rule, KeyRule.of(other).strategy("naive"))).find(List.of("orders/1/items"),
				KeyRule::strategy))
			.contains("naive");
		assertThat(new KeyRules(List.of(rule, KeyRule.of(other).timeout(Duration.ZERO))).find(List.of("orders/1/items"),
				KeyRule::strategy))
			.contains("naive");
	}

	@Test
	void patternsWithoutACommonKeyMaySayWhatTheyLike() {
		KeyRules rules = new KeyRules(
				List.of(KeyRule.of("a*").strategy("naive"), KeyRule.of("b*").strategy("sequential")));
		assertThat(rules.find(List.of("b"), KeyRule::strategy)).contains("sequential");
	}

	@Test
	void badRulesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> KeyRule.of(""));
		assertThatIllegalArgumentException().isThrownBy(() -> KeyRule.of("k").timeout(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyRule("k", null, null, -1, null, null, null));
	}

}
