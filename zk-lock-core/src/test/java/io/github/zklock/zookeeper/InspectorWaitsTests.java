package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Deadlock;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.node.KeyEncoding;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Who waits for whom, and in a circle.
 */
@Timeout(120)
class InspectorWaitsTests extends InspectedShop {

	private CompletableFuture<LockHandle> asks(Actor actor, LockClient client, String key) {
		return actor.call(() -> client.acquire(LockRequest.exclusive(key)));
	}

	private LockHandle takes(Actor actor, LockClient client, String key) {
		return Actor.get(asks(actor, client, key));
	}

	@Test
	void twoInstancesThatHoldAndWantEachOthersKeysAreACircle() throws Exception {
		Actor one = this.zk.actor();
		Actor two = this.zk.actor();
		LockHandle left = takes(one, this.a, "left");
		LockHandle right = takes(two, this.b, "right");
		CompletableFuture<LockHandle> wantsRight = asks(one, this.a, "right");
		this.zk.awaitWaiting(this.a, "right");
		assertThat(this.inspector.waits().waits()).hasSize(1);
		assertThat(this.inspector.waits().deadlocks()).isEmpty();
		CompletableFuture<LockHandle> wantsLeft = asks(two, this.b, "left");
		this.zk.awaitWaiting(this.b, "left");
		assertThat(this.inspector.waits().deadlocks()).singleElement().satisfies((deadlock) -> {
			assertThat(deadlock.sameCallers()).isTrue();
			assertThat(deadlock.circle())
				.extracting((wait) -> wait.waiter().instance(), Wait::key, (wait) -> wait.blocker().instance())
				.containsExactlyInAnyOrder(tuple("shop-1", "right", "shop-2"), tuple("shop-2", "left", "shop-1"));
		});
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease("left")).singleElement()
			.extracting(Contender::token)
			.isEqualTo(left.fencingToken());
		LockHandle freed = Actor.get(wantsLeft);
		assertThat(freed.fencingToken()).isGreaterThan(left.fencingToken());
		freed.release();
		right.release();
		Actor.get(wantsRight).release();
		await().until(() -> !left.isHeld());
		left.release();
		assertThat(this.inspector.waits().deadlocks()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 60 })
	void aLocalCallerWithoutANodeIsPartOfTheCircle(int encodedCharacters) throws Exception {
		String before = "ж".repeat(encodedCharacters);
		Actor one = this.zk.actor();
		Actor two = this.zk.actor();
		Actor three = this.zk.actor();
		LockHandle x = takes(one, this.a, before + "x");
		LockHandle y = takes(two, this.a, before + "y");
		LockHandle z = takes(three, this.b, before + "z");
		CompletableFuture<LockHandle> wantsZ = asks(one, this.a, before + "z");
		this.zk.awaitWaiting(this.a, KeyEncoding.encode(before + "z"));
		CompletableFuture<LockHandle> wantsX = asks(two, this.a, before + "x");
		CompletableFuture<LockHandle> wantsY = asks(three, this.b, before + "y");
		this.zk.awaitWaiting(this.b, KeyEncoding.encode(before + "y"));
		await().untilAsserted(() -> {
			List<Deadlock> deadlocks = this.inspector.waits().deadlocks();
			assertThat(deadlocks).singleElement().satisfies((deadlock) -> {
				assertThat(deadlock.sameCallers()).isTrue();
				assertThat(deadlock.circle()).extracting(Wait::key)
					.containsExactlyInAnyOrder(before + "x", before + "y", before + "z");
				assertThat(deadlock.circle()).extracting(Wait::waiter)
					.extracting(Caller::caller)
					.containsExactlyInAnyOrder("test-actor-0", "test-actor-1", "test-actor-2");
			});
		});
		z.release();
		Actor.get(wantsZ).release();
		x.release();
		Actor.get(wantsX).release();
		y.release();
		Actor.get(wantsY).release();
	}

	@Test
	void twoRequestsOfSeveralKeysInOneQueueWaitForEachOtherInOneDirectionOnly() throws Exception {
		LockHandle k = this.b.acquire(LockRequest.exclusive("k"));
		List<CompletableFuture<LockHandle>> asked = new ArrayList<>();
		for (String other : List.of("x", "y")) {
			asked.add(this.zk.actor().call(() -> this.a.acquire(LockRequest.keys(List.of("k", other)))));
			await().until(() -> this.inspector.line("k").contenders().size() == 1 + asked.size());
		}
		CompletableFuture<LockHandle> alone = asks(this.zk.actor(), this.a, "k");
		await().until(() -> this.inspector.line("k").contenders().size() == 4);
		Waits waits = this.inspector.waits();
		assertThat(waits.deadlocks()).isEmpty();
		assertThat(waits.waits()).filteredOn((wait) -> wait.waiter().ours() && wait.blocker().ours())
			.extracting((wait) -> wait.waiter().caller(), (wait) -> wait.blocker().caller())
			.containsExactlyInAnyOrder(tuple("test-actor-1", "test-actor-0"), tuple("test-actor-2", "test-actor-0"),
					tuple("test-actor-2", "test-actor-1"));
		k.release();
		for (CompletableFuture<LockHandle> next : asked) {
			Actor.get(next).release();
		}
		Actor.get(alone).release();
	}

	@Test
	void requestsOfOneThreadThatCannotBeToldApartAreNoCircle() throws Exception {
		LockHandle k = this.b.acquire(LockRequest.exclusive("k"));
		LockClient third = this.zk.client().open();
		List<CompletableFuture<LockHandle>> asked = new ArrayList<>();
		for (LockRequest next : List.of(LockRequest.keys(List.of("k", "x")), LockRequest.read("k"),
				LockRequest.keys(List.of("k", "y")))) {
			asked.add((next.keys().size() > 1) ? this.a.acquireAsync(next)
					: this.zk.actor().call(() -> third.acquire(next)));
			await().until(() -> this.inspector.line("k").contenders().size() == 1 + asked.size());
		}
		assertThat(this.inspector.waits().waits()).as("for the holder").hasSize(3);
		assertThat(this.inspector.waits().deadlocks()).isEmpty();
		k.release();
		for (CompletableFuture<LockHandle> next : asked) {
			Actor.get(next).release();
		}
	}

	@Test
	void circleOfInstancesWhoseCallersDifferIsReportedAsSuch() throws Exception {
		Actor one = this.zk.actor();
		Actor two = this.zk.actor();
		LockHandle left = this.a.acquire(LockRequest.exclusive("left"));
		LockHandle right = this.b.acquire(LockRequest.exclusive("right"));
		CompletableFuture<LockHandle> wantsRight = asks(one, this.a, "right");
		CompletableFuture<LockHandle> wantsLeft = asks(two, this.b, "left");
		this.zk.awaitWaiting(this.a, "right");
		this.zk.awaitWaiting(this.b, "left");
		assertThat(this.inspector.waits().deadlocks()).singleElement()
			.extracting(Deadlock::sameCallers, (deadlock) -> deadlock.circle().size())
			.containsExactly(false, 2);
		left.release();
		right.release();
		Actor.get(wantsLeft).release();
		Actor.get(wantsRight).release();
	}

	@Test
	void readersThatShareAKeyDoNotWaitForEachOther() throws Exception {
		LockHandle one = this.a.acquire(LockRequest.read("k"));
		LockHandle two = this.b.acquire(LockRequest.read("k"));
		assertThat(this.inspector.waits().waits()).isEmpty();
		one.release();
		two.release();
	}

}
