package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who enters the queues of several keys while others leave them.
 */
class DeparturesTests {

	private static final List<String> BOTH = List.of("a", "b");

	private final Departures departures = new Departures();

	private final List<List<String>> letIn = new ArrayList<>();

	@Test
	void whoAsksForTwoKeysWaitsUntilFewerLeaveBoth() {
		leave(List.of("a"), Departures.MOST);
		leave(List.of("b"), Departures.MOST);
		assertThat(mayEnter(BOTH)).isFalse();
		assertThat(mayEnter(List.of("a"))).isFalse();
		assertThat(mayEnter(List.of("c"))).isTrue();
		this.departures.gone(List.of("a"));
		assertThat(this.letIn).containsExactly(List.of("a"));
		this.departures.gone(List.of("b"));
		assertThat(this.letIn).containsExactly(List.of("a"), BOTH);
		this.departures.gone(List.of("b"));
		assertThat(this.letIn).as("once").hasSize(2);
	}

	@Test
	void nothingIsKeptOfThoseWhoHaveGone() {
		leave(BOTH, Departures.MOST);
		assertThat(mayEnter(BOTH)).isFalse();
		assertThat(this.departures.count()).isEqualTo(3);
		for (int i = 0; i < Departures.MOST; i++) {
			this.departures.gone(BOTH);
		}
		assertThat(this.departures.count()).isZero();
		assertThat(this.letIn).containsExactly(BOTH);
	}

	private void leave(List<String> keys, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(mayEnter(keys)).isTrue();
			this.departures.began(keys);
		}
	}

	private boolean mayEnter(List<String> keys) {
		return this.departures.mayEnter(new Newcomer(keys, this.letIn));
	}

	/** Notes that it may enter. */
	private static final class Newcomer implements Departures.Waiting {

		private final List<String> keys;

		private final List<List<String>> letIn;

		private Newcomer(List<String> keys, List<List<String>> letIn) {
			this.keys = keys;
			this.letIn = letIn;
		}

		@Override
		public List<String> keys() {
			return this.keys;
		}

		@Override
		public void letIn() {
			this.letIn.add(this.keys);
		}

	}

}
