package io.github.zklock.zookeeper;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a great many calls cost that wait for one key at the same time, each with a
 * deadline of its own.
 */
@Timeout(180)
class PendingCallsTests {

	private static final String KEY = "orders";

	// The garbage collections that measure the heap stop the servers, too
	private static final Duration SESSION = Duration.ofMinutes(5);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	/**
	 * Returns how many calls wait.
	 */
	int calls() {
		return 20_000;
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aPendingCallNeedsNoThreadAndLessThanAKibibyteAndLeavesNothing(String strategy) throws Exception {
		LockRequest request = LockRequest.exclusive(KEY).strategy(strategy).timeout(Duration.ofMinutes(10));
		try (LockHandle holder = this.zk.client().session(SESSION).open().acquire(request)) {
			LockClient client = this.zk.client().session(SESSION).open();
			List<CompletableFuture<LockHandle>> calls = new ArrayList<>(calls());
			calls.add(client.acquireAsync(request));
			this.zk.awaitWaiting(client, KEY);
			int contenders = this.zk.contenders(KEY).size();
			Set<Thread> threads = threads();
			long heap = heap();
			for (int i = 1; i < calls(); i++) {
				calls.add(client.acquireAsync(request));
			}
			// What others in this JVM have for a moment is no call's, and a thread that
			// looks is none of ours
			await().pollInSameThread()
				.atMost(Actor.PATIENCE)
				.untilAsserted(() -> assertThat((heap() - heap) / calls()).as("bytes for each call").isLessThan(1024));
			assertThat(newThreads(threads)).isEmpty();
			assertThat(this.zk.contenders(KEY)).hasSize(contenders);
			assertThat(calls).noneMatch(CompletableFuture::isDone);
			calls.forEach((call) -> call.cancel(false));
			calls.clear();
			this.zk.awaitNothingLeftOf(client);
			// The deadlines, too, are forgotten
			await().atMost(Actor.PATIENCE).until(() -> heap() - heap < calls() * 80L);
			assertThat(holder.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void allOfThemTimeOut(String strategy) throws Exception {
		// Long enough for all of them to be made before the first one ends
		Duration timeout = Duration.ofSeconds(Math.max(1, calls() / 20_000));
		LockRequest patient = LockRequest.exclusive(KEY).strategy(strategy).timeout(Duration.ofMinutes(10));
		LockRequest request = patient.timeout(timeout);
		try (LockHandle holder = this.zk.client().session(SESSION).open().acquire(patient)) {
			LockClient client = this.zk.client().session(SESSION).open();
			List<CompletableFuture<LockHandle>> calls = new ArrayList<>(calls());
			CompletableFuture<LockHandle> first = client.acquireAsync(patient);
			this.zk.awaitWaiting(client, KEY);
			for (int i = 0; i < calls(); i++) {
				calls.add(client.acquireAsync(request));
			}
			first.cancel(false);
			calls.forEach(
					(call) -> assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> Actor.get(call)));
			this.zk.awaitNothingLeftOf(client);
			assertThat(holder.isHeld()).isTrue();
		}
	}

	private static Set<Thread> threads() {
		return new HashSet<>(Thread.getAllStackTraces().keySet());
	}

	// The fixture closes the connections of earlier tests behind its back.
	private static Set<Thread> newThreads(Set<Thread> known) {
		Set<Thread> found = threads();
		found.removeAll(known);
		found.removeIf((thread) -> thread.getName().startsWith("test-closer"));
		return found;
	}

	private static long heap() {
		for (int i = 0; i < 3; i++) {
			ManagementFactory.getMemoryMXBean().gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
