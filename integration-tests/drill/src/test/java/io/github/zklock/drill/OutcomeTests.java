package io.github.zklock.drill;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeTests {

	@ParameterizedTest
	@CsvSource({ "sold-out, SOLD_OUT", "busy, BUSY", "unavailable, UNAVAILABLE", "late, LATE", "lost, LOST",
			"unknown-event, FAILED" })
	void problemsAreDistinguished(String type, Outcome outcome) {
		assertThat(Outcome.of("urn:zk-lock:sample:" + type)).isEqualTo(outcome);
	}

}
