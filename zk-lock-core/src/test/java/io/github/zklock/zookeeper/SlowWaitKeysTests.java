package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How many keys are warned of in the interval of slow waits.
 */
@Timeout(60)
class SlowWaitKeysTests {

	private static final int MOST_KEYS = 1000;

	private static final Duration SLOW = Duration.ofMillis(100);

	/** By key; none is answered but by the test. */
	private final Map<String, CompletableFuture<LockQueue>> questions = new ConcurrentHashMap<>();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void noKeyBeyondAThousandIsAskedForUntilOneIsForgotten() {
		LockClient client = this.zk.client()
			.with((builder) -> builder.slowWait(SLOW)
				.slowWaitInterval(Duration.ofMinutes(1))
				.strategy("silent", new Silent())
				.strategy("silent"))
			.open();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < MOST_KEYS; i++) {
			waiting.add(client.acquireAsync(LockRequest.exclusive("orders-" + i)));
		}
		await().atMost(Actor.PATIENCE).until(() -> this.questions.size() == MOST_KEYS);
		waiting.add(client.acquireAsync(LockRequest.exclusive("one too many")));
		await().during(SLOW.multipliedBy(4)).until(() -> this.questions.size() == MOST_KEYS);
		waiting.get(0).cancel(true);
		this.questions.get("orders-0").complete(new LockQueue("orders-0", List.of()));
		waiting.add(client.acquireAsync(LockRequest.exclusive("later")));
		await().atMost(Actor.PATIENCE).until(() -> this.questions.containsKey("later"));
		assertThat(this.questions).hasSize(MOST_KEYS + 1).doesNotContainKey("one too many");
		waiting.forEach((one) -> one.cancel(true));
	}

	/** Grants nothing, and notes who is asked about. */
	private final class Silent implements LockStrategy {

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			return () -> CompletableFuture.completedStage(null);
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return SlowWaitKeysTests.this.questions.computeIfAbsent(key, (asked) -> new CompletableFuture<>());
		}

	}

}
