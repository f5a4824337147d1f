package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Each step of the engine fails once: of acquiring, handing off, releasing and closing.
 * Whatever it was, each caller gets an answer in time, no two hold, other keys go on and
 * nothing is left.
 */
@Tag("slow")
class StepFaultTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration GRACE = Duration.ofMillis(250);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final int MOST_STEPS = 400;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private CuratorFramework connection;

	private LockClient other;

	private String strategy;

	@ParameterizedTest
	@CsvSource({ "sequential, false", "sequential, true", "naive, false", "naive, true" })
	void whicheverStepFails(String name, boolean atTheEnd) throws Exception {
		this.zk.announce("A step of");
		this.zk.announce("A hold of");
		this.strategy = name;
		this.connection = this.zk.curator(ZooKeeperFixture.SESSION);
		this.other = this.zk.client().strategy(name).open();
		int step = 1;
		while (step < MOST_STEPS && run(step, atTheEnd)) {
			step++;
		}
		assertThat(step).as("steps that failed, each once").isBetween(20, MOST_STEPS - 1);
	}

	private boolean run(int step, boolean atTheEnd) throws Exception {
		String key = "orders-" + step;
		LockClient client = this.zk.client().strategy(this.strategy).curator(this.connection).open();
		StepFaults faults = StepFaults.in(((ZooKeeperLockClient) client).parts().source().failures(), step, atTheEnd);
		try {
			scenario(client, key, faults);
		}
		catch (Throwable ex) {
			throw new AssertionError("With step " + step + " failing, of " + faults.where(), ex);
		}
		return faults.where() != null;
	}

	private void scenario(LockClient client, String key, StepFaults faults) throws Exception {
		Call first = new Call(client, key);
		first.await();
		Call second = new Call(client, key);
		Call third = new Call(this.other, key);
		assertThat(first.isHeld() && second.isHeld()).isFalse();
		first.release();
		second.await();
		assertThat(second.isHeld() && third.isHeld()).as("two hold").isFalse();
		boolean failed = faults.where() != null;
		Call elsewhere = new Call(client, "stock-" + key);
		elsewhere.await();
		assertThat(elsewhere.handle != null || !failed).as("another key").isTrue();
		elsewhere.release();
		second.release();
		third.await();
		assertThat(third.handle).as("the other client's handle").isNotNull();
		third.release();
		client.close();
		await("nothing left").atMost(PATIENCE).untilAsserted(() -> {
			assertThat(this.zk.contenders(key)).isEmpty();
			assertThat(OpenCounts.of(client)).isZero();
		});
	}

	/** One call of acquireAsync, and what became of it. */
	private static final class Call {

		private final CompletableFuture<LockHandle> future;

		private final CompletableFuture<Duration> running;

		private LockHandle handle;

		Call(LockClient client, String key) {
			Stopwatch stopwatch = Stopwatch.start();
			this.future = client.acquireAsync(LockRequest.exclusive(key).timeout(TIMEOUT));
			this.running = this.future.handle((acquired, failure) -> stopwatch.running());
		}

		void await() throws Exception {
			try {
				assertThat(this.running.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
					.isLessThanOrEqualTo(TIMEOUT.plus(GRACE));
				this.handle = this.future.get();
			}
			catch (ExecutionException ex) {
				assertThat(ex.getCause()).isInstanceOf(LockException.class);
			}
		}

		boolean isHeld() {
			LockHandle got = this.future.isCompletedExceptionally() ? null : this.future.getNow(null);
			return got != null && got.isHeld();
		}

		void release() throws Exception {
			if (this.handle != null) {
				this.handle.releaseAsync().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			}
		}

	}

}
