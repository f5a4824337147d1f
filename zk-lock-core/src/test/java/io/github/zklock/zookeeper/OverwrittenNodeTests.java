package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The node of a holder is still the holder's when somebody has written into it.
 */
@Timeout(60)
class OverwrittenNodeTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockClient client;

	private LockClient other;

	@BeforeEach
	void open() {
		this.client = this.zk.client().open();
		this.other = this.zk.client().open();
	}

	// So old that it is looked at before it is deleted
	private LockHandle overwritten(LockRequest request) throws Exception {
		LockHandle held = this.client.acquire(request);
		await().during(Duration.ofMillis(200)).atMost(Actor.PATIENCE).until(held::isHeld);
		this.zk.curatorOf(this.other)
			.setData()
			.forPath(this.zk.contenders(KEY).get(0), "note".getBytes(StandardCharsets.UTF_8));
		return held;
	}

	private static LockRequest request(String strategy, LockMode mode) {
		return LockRequest.exclusive(KEY).strategy(strategy).mode(mode);
	}

	@ParameterizedTest
	@CsvSource({ "naive, EXCLUSIVE", "naive, WRITE", "sequential, EXCLUSIVE", "sequential, READ" })
	void itIsReleased(String strategy, LockMode mode) throws Exception {
		LockHandle held = overwritten(request(strategy, mode));
		assertThat(held.isHeld()).isTrue();
		held.releaseAsync().join();
		LockRequest next = request(strategy, LockMode.WRITE);
		assertThat(this.zk.contenders(KEY)).isEmpty();
		this.other.acquire(next).release();
		this.client.acquire(next).release();
	}

	@ParameterizedTest
	@CsvSource({ "naive, EXCLUSIVE", "sequential, EXCLUSIVE" })
	void itIsFreeForItsClientAsSoonAsItIsReleased(String strategy, LockMode mode) throws Exception {
		LockHandle held = overwritten(request(strategy, mode));
		held.release();
		OneTry.of(this.client, request(strategy, mode)).orElseThrow().release();
	}

	@Test
	void itIsReleasedByForceInItsOwnProcess() throws Exception {
		LockHandle held = overwritten(request("naive", LockMode.EXCLUSIVE));
		this.zk.announce("was lost");
		LockInspector inspector = this.zk.inspector(this.client);
		assertThat(inspector.forceRelease(KEY)).hasSize(1);
		assertThat(held.isHeld()).isFalse();
		held.release();
		this.other.acquire(request("naive", LockMode.EXCLUSIVE)).release();
	}

}
