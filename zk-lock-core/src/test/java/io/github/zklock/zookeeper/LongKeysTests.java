package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Keys of which ZooKeeper has only the digest are found by the names that are shown in
 * their stead.
 */
@Timeout(60)
class LongKeysTests {

	private static final String LONG = "\u20ac/".repeat(200);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockInspector inspector;

	@BeforeEach
	void open() {
		this.inspector = inspector("", false);
	}

	@AfterEach
	void close() {
		this.inspector.close();
		// The nodes between the root and a key are reaped as the key's is, from below
		List<String> nodes = new ArrayList<>(this.zk.servers().nodes(this.zk.root()).keySet());
		nodes.sort(Comparator.comparing(String::length).reversed());
		nodes.stream().filter((path) -> path.contains("/a")).forEach(this.zk::reap);
	}

	private LockInspector inspector(String prefix, boolean nested) {
		return this.zk.inspector(open(prefix, nested));
	}

	private ZooKeeperLockClient open(String prefix, boolean nested) {
		return (ZooKeeperLockClient) this.zk.client()
			.with((builder) -> builder.keyPrefix(prefix).nestedKeys(nested))
			.open();
	}

	private static String shown(LockInspector stranger) {
		List<LockQueue> taken = stranger.keys(0, 10).lines();
		assertThat(taken).hasSize(1);
		return taken.get(0).key();
	}

	@ParameterizedTest
	@CsvSource({ "'', false, ''", "shop:, false, ''", "'', true, a/", "shop/, true, a/" })
	void areShownAndReleased(String prefix, boolean nested, String above) throws Exception {
		this.zk.announce("was lost");
		String key = above + "k%".repeat(200);
		LockHandle held = open(prefix, nested).acquire(LockRequest.exclusive(key));
		try (LockInspector stranger = inspector(prefix, nested)) {
			String name = shown(stranger);
			assertThat(name).isNotEqualTo(key).contains("%~");
			assertThat(stranger.line(name).contenders()).hasSize(1);
			assertThat(stranger.forceRelease(name)).hasSize(1);
			await().until(() -> !held.isHeld());
			held.release();
			assertThat(stranger.line(name).contenders()).isEmpty();
			assertThat(stranger.forceRelease(name)).isEmpty();
		}
	}

	@Test
	void areAskedFor() throws Exception {
		Queue<WaitingCaller> asks = new ConcurrentLinkedQueue<>();
		try (LockHandle held = open("", false).acquire(LockRequest.exclusive(LONG))) {
			held.onContended(asks::add);
			String name = shown(this.inspector);
			await().atMost(Duration.ofSeconds(20)).until(() -> !this.inspector.ask(name, "a deployment").isEmpty());
			await().until(() -> !asks.isEmpty());
		}
	}

	@Test
	void whoHasAKeyThatReadsLikeSuchANameIsShownFirst() throws Exception {
		try (LockHandle held = open("", false).acquire(LockRequest.exclusive(LONG))) {
			String name = shown(this.inspector);
			try (LockHandle alike = open("", false).acquire(LockRequest.exclusive(name))) {
				assertThat(this.inspector.line(name).contenders()).extracting(LockQueue.Contender::token)
					.containsExactly(alike.fencingToken());
			}
			await().until(() -> this.inspector.line(name)
				.contenders()
				.stream()
				.anyMatch((contender) -> contender.token() == held.fencingToken()));
		}
	}

	@ParameterizedTest
	@CsvSource({ "false", "true" })
	void noOtherTextIsTakenForSuchAName(boolean nested) {
		String digest = "%~" + "0A".repeat(32);
		try (LockInspector stranger = inspector("shop:", nested)) {
			for (String text : List.of("shop:" + digest, "bank:" + "k".repeat(184) + digest, "shop:/../" + digest,
					"%~asks/" + "k".repeat(189) + digest, "\n" + "k".repeat(188) + digest)) {
				assertThat(stranger.line(text).contenders()).isEmpty();
				assertThat(stranger.forceRelease(text)).isEmpty();
			}
		}
	}

}
