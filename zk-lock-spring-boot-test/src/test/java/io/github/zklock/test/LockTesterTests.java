package io.github.zklock.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The tester of an application whose keys are paths with a prefix.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = { "zk-lock.nested-keys=true", "zk-lock.key-prefix=shop:" })
@AutoConfigureZkLockTest
class LockTesterTests {

	private static final String KEY = "orders/42";

	@Autowired
	LockClient client;

	@Autowired
	LockTester locks;

	@Test
	void whatTheApplicationHoldsIsNotFree() throws Exception {
		try (LockHandle held = this.client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(this.locks.isFree(KEY)).isFalse();
		}
		// Whoever releases waits for no server
		this.locks.hold(KEY).releaseAsync().join();
		assertThat(this.locks.isFree(KEY)).isTrue();
	}

	@Test
	void whatTheOtherInstanceHoldsIsBusy() throws Exception {
		LockRequest request = LockRequest.exclusive(KEY).timeout(Duration.ofMillis(300));
		try (LockHandle held = this.locks.hold(KEY)) {
			assertThat(held.isHeld()).isTrue();
			assertThat(Repeat.after(LockUnavailableException.class, () -> this.client.tryAcquire(request))).isEmpty();
		}
	}

	@Test
	void itIsNotSaidToBeFreeOrHeldBeforeThereIsAnAnswer(@Autowired CuratorFramework tested) throws Exception {
		CuratorFramework slow = LockTester.another(tested);
		CountDownLatch answer = new CountDownLatch(1);
		try (LockTester tester = new LockTester(tested, "/zk-lock", "", false, () -> slow)) {
			tester.hold("other").release();
			slow.getZookeeperClient()
				.getZooKeeper()
				.exists("/", null, (code, path, context, stat) -> Actor.awaitQuietly(answer), null);
			CompletableFuture<Boolean> free = CompletableFuture.supplyAsync(() -> tester.isFree(KEY));
			await().during(Duration.ofMillis(700)).until(() -> !free.isDone());
			answer.countDown();
			assertThat(free.get(10, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			answer.countDown();
		}
	}

	@Test
	void aSessionCanBeEndedRightAfterAnother() throws Exception {
		try (LockHandle held = this.client.acquire(LockRequest.exclusive(KEY))) {
			this.locks.expireSession();
			this.locks.expireSession();
			assertThat(held.isHeld()).isFalse();
			assertThat(this.locks.isFree(KEY)).isTrue();
		}
	}

	@Test
	void aTesterThatIsClosedSaysSoAtOnce(@Autowired CuratorFramework tested) {
		LockTester closed = new LockTester(tested, "/zk-lock");
		closed.rival();
		closed.close();
		Stopwatch stopwatch = Stopwatch.start();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> closed.isFree(KEY));
		stopwatch.assertBetween(Duration.ZERO, Duration.ofSeconds(5));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
