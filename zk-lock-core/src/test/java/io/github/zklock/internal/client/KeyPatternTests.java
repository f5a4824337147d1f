package io.github.zklock.internal.client;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeyPatternTests {

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

}
