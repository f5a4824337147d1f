package io.github.zklock.drill;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PlanTests {

	@Test
	void withoutOptionsNobodyIsKilled() {
		assertThat(Plan.parse()).isEqualTo(new Plan(300, 6, false, false, false));
	}

	@Test
	void everyOptionMatters() {
		assertThat(Plan.parse("--kill-leader", "--tickets", "20", "--postgres", "--clients", "3", "--capacity"))
			.isEqualTo(new Plan(20, 3, true, true, true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "--kill", "--tickets", "--tickets 0", "--tickets -1", "--tickets 10001", "--tickets many",
			"--clients 51", "--clients 99999999999", "x" })
	void mistakesAreRefused(String arguments) {
		assertThatIllegalArgumentException().isThrownBy(() -> Plan.parse(arguments.split(" ")));
	}

	@Test
	void everyOptionIsExplained() {
		assertThat(Plan.USAGE).contains("--kill-leader", "--tickets N", "--clients N", "--postgres", "--capacity");
	}

}
