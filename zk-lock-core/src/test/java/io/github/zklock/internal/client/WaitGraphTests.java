package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is shown of long queues.
 */
class WaitGraphTests {

	private static final int LONG = 1000;

	private final WaitGraph graph = new WaitGraph(new Caller("us", "us-1", "h", "1", null, true), List.of());

	@Test
	void ofALongQueueEachWaiterIsShownButNotEachPair() {
		this.graph.add(queue("stock", LONG));
		this.graph.add(queue("tail", 2));
		Waits waits = this.graph.result();
		assertThat(waits.waits()).hasSize(5000).doesNotHaveDuplicates();
		assertThat(waits.waits()).filteredOn((wait) -> thread(wait.blocker()).equals("stock-0"))
			.extracting((wait) -> thread(wait.waiter()))
			.doesNotHaveDuplicates()
			.hasSize(LONG - 1);
		assertThat(waits.waits()).filteredOn((wait) -> wait.key().equals("tail")).hasSize(1);
		assertThat(waits.deadlocks()).isEmpty();
	}

	@Test
	void aCircleIsFoundAmongMorePairsThanAreShown() {
		this.graph.add(queue("stock", 200));
		this.graph.add(new LockQueue("order", List.of(contender("stock-1", 0), contender("stock-0", 1))));
		assertThat(this.graph.result().deadlocks()).singleElement()
			.extracting((deadlock) -> deadlock.circle().stream().map(Wait::key).toList())
			.asInstanceOf(InstanceOfAssertFactories.LIST)
			.containsExactlyInAnyOrder("stock", "order");
	}

	@Test
	void noWaitIsLookedAtMoreThanTwiceToFindOutWhoIsInNoCircle() {
		List<Wait> waits = new ArrayList<>();
		for (int behind = 1; behind < 200; behind++) {
			for (int before = 0; before < behind; before++) {
				waits.add(new Wait(caller(behind), "stock", caller(before)));
			}
		}
		WaitCircles circles = new WaitCircles(waits);
		assertThat(circles.find()).isEmpty();
		assertThat(circles.looked()).isPositive().isLessThanOrEqualTo(2 * waits.size());
	}

	@Test
	void whoIsOnlyOnTheWayBetweenTwoCirclesIsInNone() {
		List<Wait> waits = new ArrayList<>();
		for (int[] pair : new int[][] { { 1, 2 }, { 2, 1 }, { 2, 3 }, { 3, 4 }, { 4, 5 }, { 5, 4 }, { 5, 6 },
				{ 7, 1 } }) {
			waits.add(new Wait(caller(pair[0]), "k", caller(pair[1])));
		}
		assertThat(new WaitCircles(waits).find()).containsExactly(List.of(waits.get(0), waits.get(1)),
				List.of(waits.get(4), waits.get(5)));
	}

	private static Caller caller(int number) {
		return new Caller("client", "i", "h", "1", "thread-" + number, false);
	}

	private static LockQueue queue(String key, int length) {
		List<Contender> contenders = new ArrayList<>();
		for (int at = 0; at < length; at++) {
			contenders.add(contender(key + "-" + at, at));
		}
		return new LockQueue(key, contenders);
	}

	private static Contender contender(String thread, int at) {
		String data = ("{\"id\":\"client\",\"application\":\"a\",\"instance\":\"i\",\"host\":\"h\","
				+ "\"pid\":\"1\",\"thread\":\"%s\"}")
			.formatted(thread);
		return new Contender("/" + thread, LockMode.EXCLUSIVE, at == 0, false, at, data);
	}

	private static String thread(Caller caller) {
		return String.valueOf(caller.caller());
	}

}
