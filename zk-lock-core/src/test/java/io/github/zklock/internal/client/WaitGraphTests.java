package io.github.zklock.internal.client;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What is shown of long queues.
 */
class WaitGraphTests {

	private static final int LONG = 1000;

	private static final Caller US = new Caller("us", "us-1", "h", "1", null, true);

	private final WaitGraph graph = new WaitGraph(US, List.of());

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

	@Test
	void onlyPairsThatAreShownAreMade() {
		this.graph.add(queue("stock", LONG));
		assertThat(this.graph.result().waits()).hasSize(5000);
		assertThat(this.graph.made()).isLessThan(20_000);
	}

	@Test
	@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
	void manyCallsOfOneThreadForSeveralKeysAreComparedOnce() {
		List<LocalCaller> locals = new ArrayList<>();
		List<Contender> contenders = new ArrayList<>(List.of(contender("other", 0)));
		for (int call = 0; call < 300; call++) {
			locals.add(
					new LocalCaller("owner " + call, Set.of(), List.of(wants("a", "main"), wants("b" + call, "main"))));
			contenders.add(ours("main", call + 1));
		}
		WaitGraph own = new WaitGraph(US, locals);
		own.add(new LockQueue("a", contenders));
		assertThat(own.result().waits()).hasSize(300)
			.allSatisfy((wait) -> assertThat(thread(wait.blocker())).isEqualTo("other"));
		assertThat(own.made()).isLessThan(1000);
	}

	@Test
	void localCallersAreLookedAtOnceHoweverManyKeysThereAre() {
		AtomicInteger looked = new AtomicInteger();
		List<LocalCaller> locals = new ArrayList<>();
		for (int local = 0; local < 5000; local++) {
			locals.add(new LocalCaller("local-" + local, Set.of(), new Counting(wants("key-" + local, null), looked)));
		}
		WaitGraph own = new WaitGraph(US, locals);
		for (int key = 0; key < 5000; key++) {
			own.add(new LockQueue("key-" + key, List.of(contender("other", 0), ours("any", 1))));
		}
		assertThat(own.result().waits()).hasSize(5000)
			.allSatisfy((wait) -> assertThat(thread(wait.waiter())).isEqualTo("local-" + wait.key().substring(4)));
		assertThat(looked).hasValueLessThanOrEqualTo(5000);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aDeadlockIsShownOnceHoweverManyAreBetween(boolean betweenHoldOthers) {
		List<Contender> contenders = new ArrayList<>(List.of(contender("first", 0)));
		for (int at = 1; at <= 998; at++) {
			contenders.add(contender("between-" + at, at));
			if (betweenHoldOthers && at <= 50) {
				this.graph.add(new LockQueue("other-" + at, List.of(contender("aside-" + at, 0),
						contender("between-" + at, 1), contender("behind-" + at, 2))));
				this.graph
					.add(new LockQueue("own-" + at, List.of(contender("between-" + at, 0), contender("last", 1))));
			}
		}
		contenders.add(contender("last", 999));
		this.graph.add(new LockQueue("a", contenders));
		this.graph.add(new LockQueue("b", List.of(contender("last", 0), contender("first", 1))));
		assertThat(this.graph.result().deadlocks()).singleElement().satisfies((deadlock) -> {
			assertThat(deadlock.sameCallers()).isTrue();
			assertThat(deadlock.circle())
				.extracting((wait) -> thread(wait.waiter()), Wait::key, (wait) -> thread(wait.blocker()))
				.containsExactlyInAnyOrder(tuple("first", "b", "last"), tuple("last", "a", "first"));
		});
		assertThat(this.graph.made()).isLessThan(20_000);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void aWriterBetweenTwoReadersMakesACircle(int permits) {
		this.graph.add(new LockQueue("k",
				List.of(shares("a", 0, permits), contender("w-1", 1), contender("w-2", 2), shares("b", 3, permits))));
		this.graph.add(new LockQueue("m", List.of(contender("b", 0), contender("a", 1))));
		assertThat(this.graph.result().deadlocks()).singleElement().satisfies((deadlock) -> {
			assertThat(deadlock.sameCallers()).isTrue();
			assertThat(deadlock.circle()).hasSize(3)
				.extracting((wait) -> thread(wait.waiter()), Wait::key)
				.contains(tuple("a", "m"), tuple("b", "k"));
		});
	}

	@Test
	void readersBehindOneAnotherMakeNoCircle() {
		this.graph.add(new LockQueue("k", List.of(shares("a", 0, 0), shares("b", 1, 0))));
		this.graph.add(new LockQueue("m", List.of(contender("b", 0), contender("a", 1))));
		assertThat(this.graph.result().deadlocks()).isEmpty();
	}

	@Test
	void aCircleAmongInstancesIsFoundBehindAWriter() {
		this.graph.add(new LockQueue("k", List.of(of("one", "a", 0, LockMode.READ), of("other", "w", 1, LockMode.WRITE),
				of("two", "b", 2, LockMode.READ))));
		this.graph
			.add(new LockQueue("m", List.of(of("two", "c", 0, LockMode.WRITE), of("one", "d", 1, LockMode.WRITE))));
		assertThat(this.graph.result().deadlocks()).singleElement().satisfies((deadlock) -> {
			assertThat(deadlock.sameCallers()).isFalse();
			assertThat(deadlock.circle()).extracting((wait) -> wait.waiter().client())
				.containsExactlyInAnyOrder("one", "two", "other");
		});
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
		return of("client", thread, at, LockMode.EXCLUSIVE);
	}

	private static Contender of(String client, String thread, int at, LockMode mode) {
		return new Contender("/" + thread, mode, at == 0, false, at, data(client, thread));
	}

	private static Contender shares(String thread, int at, int permits) {
		return new Contender("/" + thread, LockMode.READ, at == 0, false, at, data("client", thread), permits);
	}

	private static Contender ours(String thread, int at) {
		return new Contender("/" + thread, LockMode.EXCLUSIVE, at == 0, true, at, data("us", thread));
	}

	private static LocalCaller.Want wants(String key, @Nullable String node) {
		return new LocalCaller.Want(key, LockMode.EXCLUSIVE, node);
	}

	private static String data(String client, String thread) {
		return ("{\"id\":\"%s\",\"application\":\"a\",\"instance\":\"i\",\"host\":\"h\","
				+ "\"pid\":\"1\",\"thread\":\"%s\"}")
			.formatted(client, thread);
	}

	private static String thread(Caller caller) {
		return String.valueOf(caller.caller());
	}

	/** What a caller wants, and how often that was looked at. */
	private static final class Counting extends AbstractList<LocalCaller.Want> {

		private final LocalCaller.Want want;

		private final AtomicInteger looked;

		Counting(LocalCaller.Want want, AtomicInteger looked) {
			this.want = want;
			this.looked = looked;
		}

		@Override
		public LocalCaller.Want get(int index) {
			this.looked.incrementAndGet();
			return this.want;
		}

		@Override
		public int size() {
			return 1;
		}

	}

}
