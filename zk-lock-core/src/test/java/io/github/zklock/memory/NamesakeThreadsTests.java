package io.github.zklock.memory;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Who waits for whom where several threads have one name.
 */
@Timeout(60)
class NamesakeThreadsTests {

	@RegisterExtension
	final MemoryFixture memory = new MemoryFixture();

	private final Actor one = new Actor("worker");

	private final Actor two = new Actor("worker");

	private final Actor other = new Actor("other");

	private MemoryLockClient client;

	@BeforeEach
	void open() {
		this.client = this.memory.client().open();
	}

	@AfterEach
	void closeActors() {
		this.one.close();
		this.two.close();
		this.other.close();
	}

	@Test
	void oneThatHoldsAndOneThatWaitsAreNoCircle() {
		LockHandle a = Actor.get(asks(this.one, "a"));
		LockHandle b = Actor.get(asks(this.other, "b"));
		CompletableFuture<LockHandle> wantsA = asks(this.other, "a");
		CompletableFuture<LockHandle> wantsB = asks(this.two, "b");
		Waits waits = twoWaits();
		assertThat(waits.deadlocks()).isEmpty();
		assertThat(waits.waits()).extracting((wait) -> wait.waiter().caller(), Wait::key).contains(tuple("other", "a"));
		a.release();
		Actor.get(wantsA).release();
		b.release();
		Actor.get(wantsB).release();
	}

	@Test
	void thoseThatWantEachOthersKeysAreACircle() {
		LockHandle a = Actor.get(asks(this.one, "a"));
		LockHandle b = Actor.get(asks(this.two, "b"));
		CompletableFuture<LockHandle> wantsB = asks(this.one, "b");
		CompletableFuture<LockHandle> wantsA = asks(this.two, "a");
		Waits waits = twoWaits();
		assertThat(waits.deadlocks()).singleElement().satisfies((deadlock) -> {
			assertThat(deadlock.sameCallers()).isTrue();
			assertThat(deadlock.circle()).extracting((wait) -> wait.waiter().caller())
				.doesNotHaveDuplicates()
				.allMatch((caller) -> caller.startsWith("worker#"));
		});
		a.release();
		Actor.get(wantsA).release();
		b.release();
		Actor.get(wantsB).release();
	}

	private CompletableFuture<LockHandle> asks(Actor actor, String key) {
		return actor.call(() -> this.client.acquire(LockRequest.exclusive(key)));
	}

	private Waits twoWaits() {
		await().untilAsserted(() -> assertThat(this.client.inspector().waits().waits()).hasSize(2));
		return this.client.inspector().waits();
	}

}
