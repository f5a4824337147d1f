package io.github.zklock.internal.cohort;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who enters the queues of keys while others leave them.
 */
class DeparturesTests {

	private static final List<String> BOTH = List.of("a", "b");

	private final Departures departures = new Departures();

	private final List<List<String>> letIn = new ArrayList<>();

	private final Map<List<String>, Queue<CompletableFuture<Void>>> leaving = new HashMap<>();

	@Test
	void whoAsksForTwoKeysWaitsUntilFewerLeaveBoth() {
		leave(List.of("a"), Departures.MOST);
		leave(List.of("b"), Departures.MOST);
		assertThat(mayEnter(BOTH)).isFalse();
		assertThat(mayEnter(List.of("a"))).isFalse();
		assertThat(mayEnter(List.of("c"))).isTrue();
		goOne(List.of("a"));
		assertThat(this.letIn).containsExactly(List.of("a"));
		goOne(List.of("b"));
		assertThat(this.letIn).containsExactly(List.of("a"), BOTH);
		goOne(List.of("b"));
		assertThat(this.letIn).as("once").hasSize(2);
	}

	@Test
	void ofAllKeysTogetherNoMoreLeaveBeforeOthersWait() {
		for (int i = 0; i < 2_000; i++) {
			leave(List.of("key " + i), 1);
		}
		List<String> fresh = List.of("fresh");
		assertThat(this.departures.areFew()).isFalse();
		assertThat(mayEnter(fresh)).isFalse();
		goOne(List.of("key 7"));
		assertThat(this.letIn).containsExactly(fresh);
		assertThat(this.departures.areFew()).isTrue();
		assertThat(mayEnter(List.of("fresher"))).isTrue();
	}

	@Test
	void whoWaitsForRoomAmongAllIsLetInOnlyWhereThereIsRoomForItsKeyToo() {
		leave(List.of("a"), Departures.MOST);
		for (int i = 0; i < 1_900; i++) {
			leave(List.of("key " + i), 1);
		}
		assertThat(mayEnter(List.of("a"))).isFalse();
		assertThat(mayEnter(List.of("b"))).isFalse();
		goOne(List.of("key 0"));
		assertThat(this.letIn).containsExactly(List.of("b"));
		leave(List.of("c"), 1);
		goOne(List.of("a"));
		assertThat(this.letIn).containsExactly(List.of("b"), List.of("a"));
	}

	@Test
	void whoIsWithdrawnIsNotLetIn() {
		for (int i = 0; i < 2_000; i++) {
			leave(List.of("key " + i), 1);
		}
		Newcomer hasty = new Newcomer(List.of("fresh"), this.letIn);
		assertThat(this.departures.mayEnter(hasty)).isFalse();
		assertThat(this.departures.mayEnter(hasty)).as("asked again").isFalse();
		assertThat(this.departures.withdraw(hasty)).isTrue();
		assertThat(this.departures.withdraw(hasty)).isFalse();
		goOne(List.of("key 0"));
		assertThat(this.letIn).isEmpty();
	}

	@Test
	void nothingIsKeptOfThoseWhoHaveGone() {
		leave(BOTH, Departures.MOST);
		assertThat(mayEnter(BOTH)).isFalse();
		assertThat(this.departures.count()).isEqualTo(3);
		for (int i = 0; i < Departures.MOST; i++) {
			goOne(BOTH);
		}
		assertThat(this.departures.count()).isZero();
		assertThat(this.letIn).containsExactly(BOTH);
	}

	private void leave(List<String> keys, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(mayEnter(keys)).isTrue();
			CompletableFuture<Void> gone = new CompletableFuture<>();
			this.leaving.computeIfAbsent(keys, (any) -> new ArrayDeque<>()).add(gone);
			this.departures.leaves(keys, gone);
		}
	}

	private void goOne(List<String> keys) {
		this.leaving.get(keys).remove().complete(null);
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
