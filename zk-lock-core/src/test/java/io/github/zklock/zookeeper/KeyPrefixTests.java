package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Applications below one root whose keys begin differently.
 */
@Timeout(60)
class KeyPrefixTests {

	private static final Duration SHORT = Duration.ofMillis(500);

	private static final String LONG_KEY = "k".repeat(LockRequest.MAX_KEY_LENGTH);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void onlyWhoHasTheSamePrefixIsExcluded(String strategy) throws Exception {
		LockRequest request = LockRequest.exclusive("orders").strategy(strategy);
		try (LockHandle handle = open("shop:").acquire(request); LockHandle other = open("bank:").acquire(request)) {
			LockClient shop = open("shop:");
			InVain.of(() -> shop.acquire(request.timeout(SHORT)));
			open("").tryAcquire(request).orElseThrow().release();
			LockClient unnamed = open("");
			InVain.of(() -> unnamed.acquire(LockRequest.exclusive("shop:orders").timeout(SHORT)));
			assertThat(handle.keys()).containsExactly("orders");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void curatorsMutexOfThatPathIsExcluded() throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		InterProcessMutex mutex = new InterProcessMutex(curator, this.zk.root() + "/my shop%2Fa%2Fb");
		try (LockHandle handle = open("my shop/").acquire(LockRequest.exclusive("a/b"))) {
			assertThat(mutex.acquire(100, TimeUnit.MILLISECONDS)).isFalse();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void curatorsMutexOfTheKeyAloneIsNotExcluded() throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		InterProcessMutex mutex = new InterProcessMutex(curator, this.zk.root() + "/orders");
		try (LockHandle handle = open("shop:").acquire(LockRequest.exclusive("orders"))) {
			assertThat(mutex.acquire(5, TimeUnit.SECONDS)).isTrue();
			assertThat(handle.isHeld()).isTrue();
			mutex.release();
		}
	}

	@Test
	void theInspectorSeesTheKeysOfItsPrefixWithoutIt() throws Exception {
		this.zk.announce("was lost");
		ZooKeeperLockClient shop = open("shop:");
		try (LockHandle orders = shop.acquire(LockRequest.keys(List.of("orders", "zookeeper", LONG_KEY)));
				LockHandle others = open("shop").acquire(LockRequest.exclusive("orders"));
				LockHandle all = open("").acquire(LockRequest.exclusive("orders"));
				LockInspector inspector = this.zk.inspector(shop)) {
			LockInspector.Page page = inspector.keys(0, 10);
			assertThat(page.total()).isEqualTo(3);
			assertThat(page.lines()).extracting(LockQueue::key)
				.containsExactlyInAnyOrder("orders", "zookeeper", LONG_KEY);
			try (LockInspector stranger = this.zk.inspector(open("shop:"))) {
				assertThat(stranger.keys(0, 10).lines()).extracting(LockQueue::key)
					.contains("orders", "zookeeper")
					.anyMatch((key) -> key.startsWith("shop:kkk"));
			}
			assertThat(inspector.line(LONG_KEY).contenders()).hasSize(1);
			assertThat(inspector.waits().waits()).isEmpty();
			inspector.forceRelease("orders");
			assertThat(orders.isHeld()).isFalse();
			assertThat(others.isHeld() && all.isHeld()).isTrue();
		}
	}

	@Test
	void theInspectorSeesTheJobsOfItsPrefixOnly() throws Exception {
		ZooKeeperLockClient shop = open("shop:");
		for (LockClient client : List.of(shop, open("bank:"))) {
			client.notAgainWithin(Duration.ofMinutes(10), false)
				.acquire(LockRequest.exclusive("nightly"))
				.releaseAsync()
				.join();
		}
		try (LockInspector inspector = this.zk.inspector(shop)) {
			assertThat(inspector.jobs()).extracting(JobRun::key).containsExactly("nightly");
		}
	}

	@Test
	void aKeyThatIsReservedOnlyWithThePrefixIsShownToo() throws Exception {
		ZooKeeperLockClient zoo = open("zoo");
		try (LockHandle keeper = zoo.acquire(LockRequest.exclusive("keeper"));
				LockInspector inspector = this.zk.inspector(zoo)) {
			assertThat(inspector.keys(0, 10).lines()).extracting(LockQueue::key).containsExactly("keeper");
			assertThat(keeper.isHeld()).isTrue();
		}
	}

	@Test
	void aWriteIsFencedByTheNodeOfThePrefix() throws Exception {
		ZooKeeperLockClient shop = open("shop:");
		LockHandle handle = shop.acquire(LockRequest.exclusive("orders"));
		FencedWriter writer = new FencedWriter(shop);
		assertThat(writer.write(handle)).isEmpty();
		handle.release();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> writer.write(handle));
	}

	@Test
	void whatKeysCannotBeginWithIsRefused() {
		ZooKeeperLockClient.Builder builder = ZooKeeperLockClient.builder(this.zk.curator(ZooKeeperFixture.SESSION));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.keyPrefix("\ud800"))
			.withMessageContaining("well-formed");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.keyPrefix("/".repeat(43)))
			.withMessageContaining("at most 128")
			.withMessageContaining("has 129");
	}

	private ZooKeeperLockClient open(String prefix) {
		return (ZooKeeperLockClient) this.zk.client()
			.session(Duration.ofMinutes(1))
			.with((builder) -> builder.keyPrefix(prefix))
			.open();
	}

}
