package io.github.zklock.drill;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeTests {

	@ParameterizedTest
	@CsvSource({ "sample:sold-out, SOLD_OUT", "busy, BUSY", "unavailable, UNAVAILABLE", "sample:late, LATE",
			"lost, LOST", "sample:unknown-event, FAILED" })
	void problemsAreDistinguished(String type, Outcome outcome) {
		assertThat(Outcome.of("urn:zk-lock:" + type)).isEqualTo(outcome);
	}

}
