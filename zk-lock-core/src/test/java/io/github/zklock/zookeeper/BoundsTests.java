package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What would grow with what is asked for has a bound. Counted by a server that nobody
 * else uses, in sessions so long that neither pings nor the lease fall into the count.
 */
@Timeout(60)
class BoundsTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@Test
	void aRequestOfTooManyKeysIsRefusedAtOnceWithItsSizeAndTheBound() throws Exception {
		LockClient client = open((builder) -> {
		});
		client.acquire(LockRequest.exclusive("orders")).releaseAsync().join();
		long packets = this.zk.packetsAtRest();
		for (LockRequest request : List.of(keys(1001), keys(5000))) {
			String size = Integer.toString(request.keys().size());
			assertThatIllegalArgumentException().isThrownBy(() -> client.acquire(request))
				.withMessageContaining("1000 keys")
				.withMessageContaining(size)
				.withMessageContaining("max-keys-per-request");
			assertThatIllegalArgumentException().isThrownBy(() -> client.tryAcquire(request));
			assertThatIllegalArgumentException().isThrownBy(() -> client.acquireAsync(request));
		}
		assertThat(server.packetsReceived()).isEqualTo(packets);
	}

	@Test
	void asManyKeysAsAreAllowedFitIntoOneTransactionHoweverLongTheyAre() throws Exception {
		LockClient client = open((builder) -> {
		});
		try (LockHandle handle = client.acquire(keys(1000))) {
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void aRequestThatWouldBeLargerThanTheServersAllowIsRefusedAtOnce() throws Exception {
		LockClient client = open((builder) -> builder.instance("i".repeat(600)));
		client.acquire(LockRequest.exclusive("orders")).releaseAsync().join();
		int fit = 0;
		long packets = this.zk.packetsAtRest();
		for (int count = 1000; fit == 0; count--) {
			LockRequest request = keys(count);
			try {
				client.tryAcquire(request).orElseThrow().releaseAsync().join();
				fit = count;
			}
			catch (IllegalArgumentException ex) {
				assertThat(ex).hasMessageContaining(count + " keys").hasMessageContaining(0xfffff + " bytes");
				assertThat(server.packetsReceived()).isEqualTo(packets);
			}
		}
		assertThat(fit).as("what is not refused is granted").isBetween(700, 999);
	}

	@Test
	void theNumberOfKeysCanBeBoundedFurther() throws Exception {
		LockClient client = open((builder) -> builder.maxKeysPerRequest(2));
		client.acquire(keys(2)).release();
		assertThatIllegalArgumentException().isThrownBy(() -> client.acquire(keys(3)));
	}

	private static LockRequest keys(int count) {
		return LockRequest
			.keys(IntStream.range(0, count).mapToObj((i) -> "orders-%04d-%s".formatted(i, "x".repeat(243))).toList());
	}

	@Test
	@Tag("RetainedGrants.I1")
	void noMoreLocksAreRetainedThanAllowed() throws Exception {
		LockClient client = open((builder) -> builder.handoff(new Handoff(64, LONG, LONG)).maxRetained(3));
		for (int i = 0; i < 20; i++) {
			client.acquire(LockRequest.exclusive("orders-" + i)).release();
		}
		await().atMost(Actor.PATIENCE).until(() -> held() == 3);
		long packets = this.zk.packetsAtRest();
		for (int i = 17; i < 20; i++) {
			client.acquire(LockRequest.exclusive("orders-" + i)).release();
		}
		assertThat(server.packetsReceived()).as("the last ones are retained").isEqualTo(packets);
		client.close();
	}

	private long held() {
		return server.nodes(this.zk.root()).values().stream().filter(TestServers.Node::ephemeral).count();
	}

	@Test
	void oneOfManyWhoWaitForTheSameKeyIsWarnedOf() throws Exception {
		this.zk.announce("has waited 100ms");
		LockClient other = open((builder) -> {
		});
		LockHandle held = other.acquire(LockRequest.exclusive("orders"));
		LockHandle last = other.acquire(LockRequest.exclusive("stock"));
		LockClient client = open((builder) -> builder.slowWait(Duration.ofMillis(100)));
		client.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		long packets = this.zk.packetsAtRest();
		waiting.add(client.acquireAsync(LockRequest.exclusive("orders")));
		this.zk.awaitWaiting(client, "orders");
		for (int i = 0; i < 300; i++) {
			waiting.add(client.acquireAsync(LockRequest.exclusive("orders")));
		}
		waiting.add(client.acquireAsync(LockRequest.exclusive("stock")));
		await().until(() -> this.zk.warnings().contains("for lock 'stock'"));
		await().until(() -> this.zk.warnings().contains("for lock 'orders'"));
		assertThat(this.zk.warnings().split("for lock 'orders'", -1)).hasSize(2);
		assertThat(server.packetsReceived() - packets).as("for two warnings, and two contenders").isLessThan(20);
		waiting.forEach((one) -> one.cancel(false));
		held.release();
		last.release();
	}

	@Test
	void aKeyIsWarnedOfAgainWhenTheIntervalIsOver() throws Exception {
		this.zk.announce("has waited 100ms");
		LockHandle held = open((builder) -> {
		}).acquire(LockRequest.exclusive("orders"));
		LockClient client = open(
				(builder) -> builder.slowWait(Duration.ofMillis(100)).slowWaitInterval(Duration.ofMillis(1)));
		client.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		for (int i = 1; i <= 2; i++) {
			CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive("orders"));
			int warnings = i;
			await().until(() -> this.zk.warnings().split("for lock 'orders'", -1).length == warnings + 1);
			waiting.cancel(false);
		}
		held.release();
	}

	@Test
	void boundsThatAreNoneAreRefused() {
		var builder = ZooKeeperLockClient.builder(this.zk.curator(ZooKeeperFixture.SESSION));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.maxKeysPerRequest(0));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.maxRetained(0))
			.withMessageContaining("must be at least 1, but is 0")
			.withMessageContaining("zero time retains none");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.maxWaitingEvents(0));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.slowWaitInterval(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> builder.slowWaitInterval(Duration.ofSeconds(Long.MAX_VALUE)));
	}

	private LockClient open(Consumer<ZooKeeperLockClient.Builder> customizer) {
		return this.zk.client().session(LONG).with(customizer).open();
	}

}
