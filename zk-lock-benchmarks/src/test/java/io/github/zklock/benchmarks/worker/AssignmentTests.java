package io.github.zklock.benchmarks.worker;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class AssignmentTests {

	@Test
	void anAssignmentIsReadAsItWasWritten() {
		Assignment assignment = new Assignment(Contestant.NAIVE, new Connection("127.0.0.1:2181", "/naive", 60_000), 3,
				8, Load.of(KeyChoice.OWN).inTurn(4).atOnce(2).reading(90, 200).thinking(700), Path.of("memory"));
		assertThat(Assignment.parse(assignment.toArguments().toArray(String[]::new))).isEqualTo(assignment);
	}

	@Test
	void aLoadOfPermitsIsReadAsItWasWritten() {
		Load load = Load.of(KeyChoice.ONE).permits(5).held(2000);
		assertThat(Load.parse(load.text())).isEqualTo(load);
		assertThatIllegalArgumentException().isThrownBy(() -> load.reading(90, 200));
	}

	@Test
	void whatALoadWantsIsReadAsItWasWritten() {
		Load load = Load.of(KeyChoice.OWN).wanting(Use.READ_AND_WRITE);
		assertThat(Load.parse(load.text())).isEqualTo(load);
		assertThat(load.atOnce()).isEqualTo(2);
		assertThatIllegalArgumentException().isThrownBy(() -> load.atOnce(1));
		assertThatIllegalArgumentException().isThrownBy(() -> Load.of(KeyChoice.ONE).wanting(Use.PERMIT));
	}

	@Test
	void aThreadHasNoMoreKeysThanSlots() {
		Load load = Load.of(KeyChoice.OWN).inTurn(8);
		assertThatIllegalArgumentException().isThrownBy(() -> load.atOnce(3));
	}

}
