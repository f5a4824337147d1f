package io.github.zklock.zookeeper;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.awaitility.Awaitility.await;

/**
 * Names of any length do no harm.
 */
@Timeout(60)
class LongNamesTests {

	private static final String LONG = "\u0001\"\u20ac".repeat(10_000);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final String name = Thread.currentThread().getName();

	@BeforeEach
	void rename() {
		Thread.currentThread().setName(LONG);
	}

	@AfterEach
	void renameBack() {
		Thread.currentThread().setName(this.name);
	}

	@ParameterizedTest
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "sequential,EXCLUSIVE", "sequential,WRITE" })
	void whatIsReleasedIsDeleted(String strategy, LockMode mode) throws Exception {
		LockClient client = this.zk.client()
			.strategy(strategy)
			.with((builder) -> builder.application(LONG).instance(LONG))
			.open();
		LockRequest request = LockRequest.exclusive("\u20ac".repeat(LockRequest.MAX_KEY_LENGTH)).mode(mode);
		LockHandle held = client.acquire(request);
		await().during(Duration.ofMillis(200)).atMost(Actor.PATIENCE).until(held::isHeld);
		LockClient other = this.zk.client().strategy(strategy).open();
		InVain.of(() -> other.acquire(request.mode(LockMode.WRITE).timeout(Duration.ofMillis(500))));
		held.releaseAsync().join();
		other.acquire(request).release();
	}

}
