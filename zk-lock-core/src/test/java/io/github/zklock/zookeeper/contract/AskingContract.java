package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * A holder that an operator asks to let go.
 */
interface AskingContract extends LockContract {

	/**
	 * Asks a holder until it can be asked: within its first second or two it cannot.
	 */
	private static List<HolderNote> ask(LockInspector inspector, String reason) {
		return await().until(() -> inspector.ask(KEY, reason), (asked) -> !asked.isEmpty());
	}

	@Test
	default void aHolderIsAskedWithTheWholeReason() throws Exception {
		String reason = "x".repeat(1000);
		LockHandle handle = fixture().client()
			.strategy(strategy())
			.instance("holder")
			.open()
			.acquire(LockRequest.exclusive(KEY));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		LockClient operator = fixture().client().strategy(strategy()).instance("operator").open();
		try (LockInspector inspector = fixture().inspector(operator)) {
			assertThat(ask(inspector, reason)).singleElement().satisfies((asked) -> {
				assertThat(asked.noticed()).isTrue();
				assertThat(asked.reason()).isEqualTo(reason);
				assertThat(asked.ask()).isNotNull();
				assertThat(asked.instance()).isEqualTo("holder");
				assertThat(asked.host()).isNotNull();
				assertThat(asked.pid()).isEqualTo(Long.toString(ProcessHandle.current().pid()));
			});
			await().untilAsserted(() -> assertThat(seen).hasSize(1));
			assertThat(seen.element().reason()).isEqualTo(reason);
			assertThat(seen.element().key()).isEqualTo(KEY);
			assertThat(seen.element().mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(seen.element().instance()).isEqualTo("operator");
			assertThat(seen.element().process()).isEqualTo(Long.toString(ProcessHandle.current().pid()));
			assertThat(seen.element().thread()).isNull();
		}
		handle.release();
	}

	@Test
	@Tag("slow")
	default void anAskThatWasNotNoticedInTimeSaysSo() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		CountDownLatch end = new CountDownLatch(1);
		Queue<String> reasons = new ConcurrentLinkedQueue<>();
		handle.onContended((asker) -> {
			reasons.add(asker.reason());
			LockContract.awaitEnd(end);
		});
		try (LockInspector inspector = fixture().inspector(client)) {
			HolderNote first = ask(inspector, "first").get(0);
			assertThat(first.noticed()).isTrue();
			assertThat(first.reason()).isEqualTo("first");
			assertThat(inspector.ask(KEY, "second")).singleElement().satisfies((second) -> {
				assertThat(second.noticed()).isFalse();
				assertThat(second.reason()).isEqualTo("second");
				assertThat(second.ask()).isNotNull().isNotEqualTo(first.ask());
				assertThat(second.instance()).isEqualTo(first.instance());
				assertThat(second.pid()).isEqualTo(first.pid());
			});
			end.countDown();
			await().untilAsserted(() -> assertThat(reasons).containsExactly("first", "second"));
		}
		handle.release();
	}

	@Test
	@Tag("slow")
	default void oneThatLetsGoWhileItsActionRunsHasNoticed() throws Exception {
		LockClient client = open();
		try (LockInspector inspector = fixture().inspector(client);
				LockInspector another = fixture().inspector(client)) {
			assertThat(another.ask(KEY + "-2", "connected by now")).isEmpty();
			List<HolderNote> second;
			do {
				second = askOneThatLetsGo(client, inspector, another);
			}
			// What is asked behind the release, on a busy machine, finds nobody
			while (second.isEmpty());
			assertThat(second).singleElement().satisfies((asked) -> {
				assertThat(asked.noticed()).isTrue();
				assertThat(asked.reason()).isEqualTo("second");
			});
		}
	}

	private List<HolderNote> askOneThatLetsGo(LockClient client, LockInspector inspector, LockInspector another)
			throws InterruptedException {
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		CountDownLatch end = new CountDownLatch(1);
		handle.onContended((asker) -> LockContract.awaitEnd(end));
		try {
			ask(inspector, "first");
			CompletableFuture<List<HolderNote>> second = fixture().actor().call(() -> another.ask(KEY, "second"));
			await("it is not noticed while the action runs").during(Duration.ofMillis(300))
				.until(() -> !second.isDone());
			handle.releaseAsync().join();
			return Actor.get(second);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	@Tag("slow")
	default void eachHandleWithAnActionIsAskedOnce() throws Exception {
		assumeFalse(strategy().equals("naive"), "naive READ is exclusive");
		LockClient client = open();
		LockHandle one = client.acquire(LockRequest.read(KEY));
		LockHandle two = client.acquire(LockRequest.read(KEY));
		Queue<String> first = new ConcurrentLinkedQueue<>();
		Queue<String> second = new ConcurrentLinkedQueue<>();
		one.onContended((asker) -> first.add(asker.reason()));
		two.onContended((asker) -> second.add(asker.reason()));
		try (LockInspector inspector = fixture().inspector(client)) {
			await().until(() -> inspector.ask(KEY, "why").size() == 2);
			await().untilAsserted(() -> assertThat(second).contains("why"));
			two.releaseAsync().join();
			second.clear();
			await().until(() -> inspector.ask(KEY, "again").size() == 1);
			await().untilAsserted(() -> assertThat(first).contains("again"));
			one.releaseAsync().join();
			await().until(() -> inspector.ask(KEY, "more").isEmpty());
			assertThat(first).doesNotContain("more");
			assertThat(second).isEmpty();
		}
	}

	@Test
	@Tag("slow")
	default void holdersOfOtherKeysAreNotAsked() throws Exception {
		LockClient client = open();
		LockHandle other = client.acquire(LockRequest.exclusive(KEY + "-2"));
		Queue<String> others = new ConcurrentLinkedQueue<>();
		other.onContended((asker) -> others.add(asker.reason()));
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		Queue<String> seen = new ConcurrentLinkedQueue<>();
		handle.onContended((asker) -> seen.add(asker.reason()));
		try (LockInspector inspector = fixture().inspector(client)) {
			await().until(() -> !inspector.ask(KEY + "-2", "first").isEmpty());
			assertThat(ask(inspector, "why")).hasSize(1);
			await().until(() -> seen.contains("why"));
			await().untilAsserted(() -> assertThat(others).containsOnly("first"));
		}
		handle.release();
		other.release();
	}

	@Test
	default void nobodyIsAskedWhoCannotBe() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		try (LockInspector inspector = fixture().inspector(client)) {
			assertThat(inspector.ask(KEY, "no action")).isEmpty();
			assertThat(inspector.ask(KEY + "-2", "not held")).isEmpty();
			assertThatIllegalArgumentException().isThrownBy(() -> inspector.ask(KEY, "x".repeat(1001)))
				.withMessageContaining("1000");
		}
		handle.release();
	}

}
