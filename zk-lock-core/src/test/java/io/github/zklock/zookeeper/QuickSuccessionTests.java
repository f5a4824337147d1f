package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers who ask for the next lock as soon as they have released one.
 */
@Timeout(120)
class QuickSuccessionTests {

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	private static final Handoff STRICT = new Handoff(0, Duration.ZERO, Duration.ZERO);

	private static final int ROUNDS = 60;

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@AutoClose("shutdownNow")
	private final ExecutorService callers = Executors.newCachedThreadPool();

	private final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();

	// By the clock of the client nobody takes any time
	@Test
	void aReleaseAndTheNextLockAreOneTransaction() throws Exception {
		AtomicLong now = new AtomicLong();
		CuratorFramework connection = this.zk.curator(LONG_SESSION);
		try (LockSessions sessions = LockSessions.builder(connection).root(this.zk.root()).clock(now::get).build();
				LockClient client = ZooKeeperLockClient.builder(sessions).handoff(STRICT).build()) {
			for (int i = 0; i < 20; i++) {
				client.acquire(LockRequest.exclusive("own")).release();
			}
			long packets = server.packetsAtRest();
			long zxid = server.zxid();
			int locks = 5;
			for (int i = 0; i < locks; i++) {
				client.acquire(LockRequest.exclusive("own")).release();
			}
			assertThat(server.packetsAtRest() - packets).as("a create and a list for each").isEqualTo(2L * locks);
			assertThat(server.zxid() - zxid).isEqualTo(locks);
			assertThat(this.zk.contenders("own")).as("a release that waits").hasSize(1);
			now.addAndGet(TimeUnit.SECONDS.toNanos(1));
			await().until(() -> this.zk.contenders("own").isEmpty());
			assertThat(server.zxid() - zxid).isEqualTo(locks + 1);
		}
	}

	@Test
	void whoeverElseWantsTheKeysNobodyIsLetInTooEarlyOrForgotten() throws Exception {
		List<Callable<Integer>> loops = new ArrayList<>();
		for (LockClient client : List.of(open(STRICT), open(STRICT), open(Handoff.DEFAULT))) {
			loops.add(() -> loop(client, "fresh"));
			loops.add(() -> loop(client, "other"));
		}
		int granted = 0;
		for (Future<Integer> loop : this.callers.invokeAll(loops)) {
			granted += loop.get();
		}
		assertThat(granted).isEqualTo(loops.size() * ROUNDS);
	}

	private int loop(LockClient client, String name) throws Exception {
		int granted = 0;
		for (int i = 0; i < ROUNDS; i++) {
			String key = name + "-" + i;
			AtomicInteger count = this.inside.computeIfAbsent(key, (of) -> new AtomicInteger());
			try (LockHandle handle = client.acquire(LockRequest.exclusive(key).timeout(Duration.ofSeconds(20)))) {
				assertThat(count.incrementAndGet()).as("holders of %s", key).isOne();
				assertThat(handle.isHeld()).isTrue();
				granted++;
				count.decrementAndGet();
			}
		}
		return granted;
	}

	private LockClient open(Handoff handoff) {
		return this.zk.client().session(LONG_SESSION).with((builder) -> builder.handoff(handoff)).open();
	}

}
