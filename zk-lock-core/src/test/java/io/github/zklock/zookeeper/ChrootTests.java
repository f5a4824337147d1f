package io.github.zklock.zookeeper;

import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A path at the end of the connect string.
 */
@Timeout(60)
class ChrootTests {

	private static final String LONG = "/" + "a".repeat(1500);

	private static final String OTHER = "/" + "b".repeat(1500);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@CsvSource({ "/zk-lock, sequential", "/zk-lock, naive", "/locks/of/all, sequential" })
	void thatItDoesNotExistIsSaidToWhoLocks(String root, String strategy) {
		try (CuratorFramework curator = connect("/apps"); ZooKeeperLockClient client = client(curator, root)) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("orders").strategy(strategy)))
				.withMessageContaining("the path '/apps' at the end of the connect string does not exist");
		}
	}

	@Test
	void onceItIsMadeTheNextCallGetsItsLock() throws Exception {
		try (CuratorFramework curator = connect("/apps"); ZooKeeperLockClient client = client(curator, "/zk-lock")) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("orders")));
			try (CuratorFramework operator = connect("")) {
				operator.create().forPath("/apps");
				try (LockHandle handle = client.acquire(LockRequest.exclusive("orders"))) {
					assertThat(handle.isHeld()).isTrue();
				}
				operator.delete().deletingChildrenIfNeeded().forPath("/apps");
			}
		}
	}

	@Test
	void pathsOfFencedWritesAreBelowIt() throws Exception {
		try (CuratorFramework operator = connect("")) {
			operator.create().forPath("/apps");
			try (CuratorFramework curator = connect("/apps");
					ZooKeeperLockClient client = client(curator, "/zk-lock");
					LockHandle handle = client.acquire(LockRequest.exclusive("orders"))) {
				CuratorFramework within = curator.usingNamespace("apps");
				FencedWriter writer = new FencedWriter(client);
				writer.write(handle, curator.transactionOp().create().forPath("/apps"));
				for (CuratorFramework one : List.of(curator, within)) {
					List<CuratorTransactionResult> results = writer.write(handle,
							one.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/apps"),
							one.transactionOp().create().forPath("/plain"));
					String numbered = results.get(0).getResultPath();
					assertThat(numbered).matches("/apps\\d{10}");
					assertThat(one.checkExists().forPath(numbered)).isNotNull();
					assertThat(results.get(1).getResultPath()).isEqualTo("/plain");
				}
			}
			operator.delete().deletingChildrenIfNeeded().forPath("/apps");
		}
	}

	@Test
	void aFencedWriteIsRefusedOnlyIfItIsTooLargeWithIt() throws Exception {
		try (CuratorFramework operator = connect("")) {
			operator.create().forPath(LONG);
			try (CuratorFramework curator = connect(LONG);
					ZooKeeperLockClient client = client(curator, "/zk-lock");
					LockHandle handle = client.acquire(LockRequest.exclusive("orders"))) {
				CuratorFramework within = curator.usingNamespace("apps");
				Queue<ConnectionState> changes = ZooKeeperFixture.changesOf(curator);
				FencedWriter writer = new FencedWriter(client);
				writer.write(handle, within.transactionOp().create().forPath("/written"));
				int size = 0xfffff - LONG.length();
				String message = catchThrowable(() -> writer.write(handle, write(within, size))).getMessage();
				int excess = Integer.parseInt(message.replaceFirst(".* has (\\d+) .*", "$1")) - 0xfffff;
				writer.write(handle, write(within, size - excess));
				assertThat(within.checkExists().forPath("/written").getDataLength()).isEqualTo(size - excess);
				assertThatIllegalArgumentException()
					.isThrownBy(() -> writer.write(handle, write(within, size - excess + 1)))
					.withMessageContaining("this one has 1048576 ");
				assertThat(handle.isHeld()).isTrue();
				assertThat(changes).isEmpty();
			}
			operator.delete().deletingChildrenIfNeeded().forPath(LONG);
		}
	}

	private static CuratorOp write(CuratorFramework curator, int size) throws Exception {
		return curator.transactionOp().setData().forPath("/written", new byte[size]);
	}

	@Test
	void aRequestIsRefusedIfItIsTooLargeWithIt() throws Exception {
		try (CuratorFramework operator = connect("")) {
			operator.create().forPath(OTHER);
			try (CuratorFramework curator = connect(OTHER); ZooKeeperLockClient client = client(curator, "/zk-lock")) {
				client.acquire(LockRequest.exclusive("orders")).releaseAsync().join();
				Queue<ConnectionState> changes = ZooKeeperFixture.changesOf(curator);
				int fit = 0;
				for (int count = 700; fit == 0; count -= 5) {
					LockRequest request = LockRequest
						.keys(IntStream.range(0, count).mapToObj((i) -> "orders-" + i).toList());
					try {
						client.acquire(request).releaseAsync().join();
						fit = count;
					}
					catch (IllegalArgumentException ex) {
						assertThat(ex).hasMessageContaining(count + " keys");
					}
				}
				assertThat(fit).as("what is not refused is granted").isBetween(400, 690);
				assertThat(changes).isEmpty();
			}
			operator.delete().deletingChildrenIfNeeded().forPath(OTHER);
		}
	}

	private CuratorFramework connect(String chroot) {
		CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString() + chroot,
				new RetryOneTime(50));
		curator.start();
		return curator;
	}

	private static ZooKeeperLockClient client(CuratorFramework curator, String root) {
		return ZooKeeperLockClient.builder(curator).root(root).build();
	}

}
