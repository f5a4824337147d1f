package io.github.zklock.internal.contender;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps that come too late.
 */
class RoundsTests {

	private final Queue<Runnable> steps = new ArrayDeque<>();

	private final List<String> ran = new ArrayList<>();

	private final Rounds rounds = new Rounds(this.steps::add);

	@Test
	void i1AStepOfAFormerRoundDoesNothing() {
		int former = this.rounds.next();
		Runnable bound = this.rounds.bind(() -> this.ran.add("bound before"));
		this.rounds.step(former, () -> this.ran.add("brought before"));
		int present = this.rounds.next();
		bound.run();
		this.rounds.step(former, () -> this.ran.add("brought late"));
		this.rounds.step(present, () -> this.ran.add("present"));
		this.steps.forEach(Runnable::run);
		assertThat(this.ran).containsExactly("present");
	}

}
