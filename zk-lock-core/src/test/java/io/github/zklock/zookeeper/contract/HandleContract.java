package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a handle says, and what its release does.
 */
interface HandleContract extends LockContract {

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void aHandleSaysWhatWasAskedForAndWhetherItIsHeld(LockMode mode) throws Exception {
		LockHandle handle = open().acquire(request(mode));
		assertThat(handle.key()).isEqualTo(KEY);
		assertThat(handle.keys()).containsExactly(KEY);
		assertThat(handle.mode()).isEqualTo(mode);
		assertThat(handle.fencingToken()).isPositive();
		assertThat(handle.isHeld()).isTrue();
		handle.close();
		assertThat(handle.isHeld()).isFalse();
	}

	@ParameterizedTest
	@Tag("LockNode.I2")
	@Tag("QueuedContender.I2")
	@EnumSource(LockMode.class)
	default void theNodeIsGoneWhenTheReleaseIsAnswered(LockMode mode) throws Exception {
		LockHandle handle = open().acquire(request(mode));
		assertThat(fixture().contenders(KEY)).hasSize(1);
		handle.releaseAsync().join();
		assertThat(fixture().contendersOnNewestServer(KEY)).isEmpty();
	}

	@Test
	default void aReleaseMayComeFromAnyThread() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		fixture().actor().run(() -> handle.releaseAsync().join());
		assertThat(handle.isHeld()).isFalse();
		awaitFree(open(), LockMode.EXCLUSIVE);
		LockHandle next = client.acquire(request(LockMode.EXCLUSIVE));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.release();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void aSecondReleaseDoesNotTouchTheNextHold(LockMode mode) throws Exception {
		LockClient client = open();
		LockHandle old = client.acquire(request(mode));
		old.releaseAsync().join();
		LockHandle current = client.acquire(request(mode));
		old.release();
		old.close();
		assertThat(old.releaseAsync()).succeedsWithin(Actor.PATIENCE);
		assertThat(current.isHeld()).isTrue();
		assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		current.release();
	}

	@Test
	default void aSecondReleaseOfAnInnerHandleDoesNotReleaseTheOuterOne() throws Exception {
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.EXCLUSIVE));
		LockHandle inner = client.acquire(request(LockMode.EXCLUSIVE));
		inner.release();
		inner.release();
		assertThat(inner.releaseAsync()).succeedsWithin(Actor.PATIENCE);
		assertThat(outer.isHeld()).isTrue();
		assertThat(isFree(open(), LockMode.EXCLUSIVE)).isFalse();
		outer.release();
	}

	@Test
	default void nothingIsLostByAReleasedHandle() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		handle.releaseAsync().join();
		handle.onLost(lost::incrementAndGet);
		client.close();
		assertThat(lost).hasValue(0);
	}

	@Test
	default void theListenerIsNotifiedOfEveryEnding() throws Exception {
		Queue<String> heard = new ConcurrentLinkedQueue<>();
		LockClient client = fixture().client().strategy(strategy()).listener(new Recorder(heard)).open();
		LockHandle handle = client.acquire(LockRequest.keys(List.of(KEY)).mode(LockMode.READ));
		fixture().actor()
			.run(() -> assertThat(client.tryAcquire(request(LockMode.WRITE).timeout(Duration.ofMillis(50)))).isEmpty());
		handle.release();
		await().untilAsserted(() -> assertThat(heard).containsExactly("acquired [orders] READ " + strategy(),
				"not acquired [orders] WRITE " + strategy() + " LockTimeoutException",
				"released [orders] READ " + strategy()));
	}

	/**
	 * Writes down what it hears.
	 */
	record Recorder(Queue<String> heard) implements LockListener {

		@Override
		public void acquired(Event event) {
			this.heard.add("acquired " + text(event));
		}

		@Override
		public void notAcquired(Event event, Throwable cause) {
			this.heard.add("not acquired " + text(event) + " "
					+ ((cause instanceof LockTimeoutException) ? "LockTimeoutException" : cause));
		}

		@Override
		public void released(Event event) {
			this.heard.add("released " + text(event));
		}

		private static String text(Event event) {
			assertThat(event.elapsed()).isPositive();
			return event.keys() + " " + event.mode() + " " + event.strategy();
		}

	}

}
