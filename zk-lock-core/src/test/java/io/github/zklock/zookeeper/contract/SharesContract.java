package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * How many keys of a pattern one client holds at a time.
 */
interface SharesContract extends LockContract {

	private LockClient bounded(int keys) {
		return fixture().client().strategy(strategy()).maxHeld("jobs-*", keys).open();
	}

	private static LockRequest job(int number) {
		return LockRequest.exclusive("jobs-" + number);
	}

	private static CompletableFuture<LockHandle> ask(LockClient client, int number) {
		return client.acquireAsync(job(number));
	}

	@Test
	default void whoIsBeyondTheBoundTimesOutWithoutANode() throws Exception {
		LockClient client = bounded(1);
		LockClient other = open();
		try (LockHandle held = client.acquire(job(1))) {
			fixture().actor().run(() -> {
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(job(2).timeout(Duration.ofMillis(200))))
					.withMessageContaining("within 200ms")
					.withMessageContaining("other callers of this process, which may hold 1 key of 'jobs-*'");
				assertThat(OneTry.of(client, job(2))).isEmpty();
			});
			CompletableFuture<LockHandle> waiting = ask(client, 2);
			try (LockHandle others = other.acquire(job(2))) {
				assertThat(fixture().contenders("jobs-2")).hasSize(1);
				assertThat(others.isHeld()).isTrue();
			}
			assertThat(waiting).isNotDone();
			waiting.cancel(false);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	default void whoseJobHasEndedMayDoTheNextOne() throws Exception {
		LockClient jobs = bounded(1).notAgainWithin(Duration.ofMinutes(10), false);
		List<Integer> done = new ArrayList<>();
		for (int number : List.of(1, 2, 3)) {
			jobs.run(job(number), () -> done.add(number));
		}
		assertThat(done).containsExactly(1, 2, 3);
	}

	@Test
	default void otherKeysAreNotBounded() throws Exception {
		LockClient client = bounded(1);
		try (LockHandle one = client.acquire(job(1)); LockHandle two = client.acquire(LockRequest.exclusive("other"))) {
			assertThat(one.isHeld() && two.isHeld()).isTrue();
		}
	}

	@Test
	default void aReleaseServesWhoeverCameFirst() throws Exception {
		LockClient client = bounded(1);
		LockHandle first = Actor.get(ask(client, 1));
		CompletableFuture<LockHandle> second = ask(client, 2);
		CompletableFuture<LockHandle> third = ask(client, 3);
		first.release();
		LockHandle next = Actor.get(second);
		assertThat(third).isNotDone();
		next.release();
		Actor.get(third).release();
	}

	@Test
	default void instancesThatTryOnceShareTheKeys() throws Exception {
		List<LockHandle> held = new ArrayList<>();
		for (LockClient client : List.of(bounded(2), bounded(2))) {
			int before = held.size();
			for (int i = 0; i < 4; i++) {
				OneTry.of(client, job(i).owner("job-" + i)).ifPresent(held::add);
			}
			assertThat(held).hasSize(before + 2);
		}
		assertThat(held).extracting(LockHandle::key).doesNotHaveDuplicates().hasSize(4);
		held.forEach(LockHandle::release);
	}

	@Test
	default void whoEntersAgainTakesNoShare() throws Exception {
		LockClient client = bounded(1);
		try (LockHandle outer = client.acquire(job(1)); LockHandle inner = client.acquire(job(1))) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		}
		client.acquire(job(2)).release();
	}

	@Test
	default void whoWouldWaitForItsOwnShareIsRefused() throws Exception {
		LockClient client = bounded(1);
		try (LockHandle held = client.acquire(job(1))) {
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> client.acquire(job(2)))
				.withMessageContaining("'jobs-2'")
				.withMessageContaining("1 key of 'jobs-*'");
			assertThat(held.isHeld()).isTrue();
		}
		client.acquire(job(2)).release();
	}

	@Test
	default void severalKeysTakeTheirSharesTogether() throws Exception {
		LockClient client = bounded(2);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.acquire(LockRequest.keys(List.of("jobs-1", "jobs-2", "jobs-3"))))
			.withMessageContaining("2 keys of 'jobs-*'");
		LockHandle both = client.acquire(LockRequest.keys(List.of("jobs-1", "jobs-2", "other")));
		CompletableFuture<LockHandle> next = ask(client, 3);
		assertThat(next).isNotDone();
		both.release();
		Actor.get(next).release();
	}

	@Test
	default void sharesComeBackWhenCallersGiveUp() throws Exception {
		LockClient client = bounded(1);
		try (LockHandle busy = open().acquire(job(1))) {
			CompletableFuture<LockHandle> cancelled = ask(client, 1);
			fixture().awaitWaiting(client, "jobs-1");
			cancelled.cancel(false);
			Actor.get(ask(client, 2)).release();
			Actor actor = fixture().actor();
			CompletableFuture<LockHandle> interrupted = actor.call(() -> client.acquire(job(1)));
			fixture().awaitWaiting(client, "jobs-1");
			actor.interrupt();
			await().until(interrupted::isDone);
			InVain.of(() -> client.acquire(job(1).timeout(Duration.ofMillis(500))));
			client.acquire(job(2)).release();
			assertThat(busy.isHeld()).isTrue();
		}
		await().until(() -> fixture().openCount(client) == 0);
	}

	@Test
	@Tag("BoundedContender.I1")
	default void whoGivesUpWhileWaitingForAShareTakesNone() throws Exception {
		LockClient client = bounded(1);
		LockHandle held = Actor.get(ask(client, 1));
		CompletableFuture<LockHandle> cancelled = ask(client, 2);
		CompletableFuture<LockHandle> next = ask(client, 3);
		cancelled.cancel(false);
		held.release();
		Actor.get(next).release();
		assertThat(fixture().contenders("jobs-2")).isEmpty();
	}

	@Test
	@Tag("BoundedContender.I2")
	default void aLostLockHasNoShare() throws Exception {
		fixture().announce("lost");
		LockClient client = bounded(1);
		LockHandle lost = Actor.get(client.acquireAsync(job(1).maxHold(Duration.ofMillis(50))));
		Actor.get(ask(client, 2)).release();
		assertThat(lost.isHeld()).isFalse();
		lost.release();
		LockHandle held = Actor.get(ask(client, 3));
		assertThat(OneTry.of(client, job(4))).isEmpty();
		held.release();
	}

	@Test
	default void whatAnOwnerThrowsKeepsNothingOfItsHeld() throws Exception {
		LockClient client = bounded(3);
		AtomicBoolean broken = new AtomicBoolean();
		Object owner = new Object() {

			@Override
			public boolean equals(Object other) {
				if (broken.get()) {
					throw new IllegalStateException("planted");
				}
				return this == other;
			}

			@Override
			public int hashCode() {
				return 1;
			}

		};
		LockHandle one = client.acquire(job(1).owner(owner));
		LockRequest pair = LockRequest.keys(List.of("jobs-2", "jobs-3"));
		LockHandle two = client.acquire(pair.owner(owner));
		CompletableFuture<LockHandle> next = ask(client, 4);
		broken.set(true);
		two.release();
		Actor.get(next).release();
		open().acquire(pair).release();
		one.release();
	}

	@Test
	default void callersOfOneKeyHaveOneShare() throws Exception {
		LockClient client = bounded(1);
		for (LockRequest same : List.of(LockRequest.permits("jobs-1", 3), LockRequest.read("jobs-1"))) {
			try (LockHandle one = client.acquire(same.owner("one"));
					LockHandle two = client.acquire(same.owner("two"))) {
				assertThat(one.isHeld() && two.isHeld()).isTrue();
				assertThat(OneTry.of(client, job(2).owner("three"))).isEmpty();
				one.release();
				assertThat(OneTry.of(client, job(2).owner("three"))).isEmpty();
			}
			client.acquire(job(2)).release();
		}
	}

	@Test
	default void whoWaitsForAKeyHereDoesNotKeepItsHolderFromAnotherOne() throws Exception {
		LockClient client = bounded(2);
		LockHandle one = client.acquire(job(1));
		CompletableFuture<LockHandle> waiting = ask(client, 1);
		try (LockHandle two = client.acquire(job(2))) {
			assertThat(two.isHeld()).isTrue();
			one.release();
			Actor.get(waiting).release();
		}
	}

	@Test
	default void whoWaitsForAShareEndsWithTheClient() {
		LockClient client = bounded(1);
		Actor.get(ask(client, 1));
		CompletableFuture<LockHandle> waiting = ask(client, 2);
		fixture().announce("lost");
		client.close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Actor.get(waiting))
			.withMessageContaining("closed");
		await().until(() -> fixture().openCount(client) == 0);
	}

}
