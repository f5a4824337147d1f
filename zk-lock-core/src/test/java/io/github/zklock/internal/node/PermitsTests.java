package io.github.zklock.internal.node;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How those are described who ask for permits of one key.
 */
class PermitsTests {

	@Test
	void twoNumbersAreBothGiven() {
		assertThat(Permits.describe("shop-1", 2, 5)).isEqualTo("shop-1 (2 permits there, 5 here)");
	}

	@ParameterizedTest
	@CsvSource({ "5, 5", "0, 5", "5, 0", "0, 0" })
	void theSameNumberAndThatOfALockAreNot(int there, int here) {
		assertThat(Permits.describe("shop-1", there, here)).isEqualTo("shop-1");
	}

}
