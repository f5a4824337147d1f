package io.github.zklock.internal.session;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.node.ClientIdentity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * When those who have something in a session are notified of its end. The session is so
 * long that no beat comes first.
 */
@Timeout(60)
class SessionSourceTests {

	private static final Duration SESSION = Duration.ofMinutes(10);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private CuratorFramework curator;

	private SessionSource source;

	@BeforeEach
	void connect() {
		this.curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(), (int) SESSION.toMillis(),
				(int) SESSION.toMillis(), new RetryOneTime(100));
		this.source = new SessionSource(this.curator,
				LockPaths.of("", this.zk.root(), "", false, new DefaultACLProvider()),
				new ClientIdentity("application", "instance", "host", 1, InstantSource.system()), System::nanoTime,
				Lease::new, null);
		this.curator.start();
		awaitConnected();
	}

	private void awaitConnected() {
		await().until(() -> this.curator.getZookeeperClient().isConnected());
	}

	@AfterEach
	void close() {
		this.source.close();
		this.curator.close();
	}

	@Test
	@Tag("SessionSource.I6")
	void aSessionEndsBeforeAClosingCuratorClosesItsHandle() throws Exception {
		this.source.start();
		ZooKeeper handle = this.curator.getZookeeperClient().getZooKeeper();
		CompletableFuture<Boolean> alive = new CompletableFuture<>();
		track(() -> alive.complete(handle.getState().isAlive()));
		this.curator.close();
		assertThat(alive).isCompletedWithValue(true);
	}

	/** A report that was on its way. Errors that are logged fail the test. */
	@Test
	void aClosedCuratorIsNoErrorAsLongAsNobodyWantsALock() {
		this.source.start();
		this.curator.close();
		this.source.connectionChanged(ConnectionState.RECONNECTED);
		assertThat(this.source.current()).isNull();
	}

	/** As if Curator had not reported yet, or never, that the former handle is closed. */
	@Test
	void aSessionEndsBeforeTheNextOneBegins() throws Exception {
		long before = System.nanoTime();
		this.source.connectionChanged(ConnectionState.CONNECTED);
		LockSession former = this.source.current();
		await("the answer to the first beat").until(() -> former.lastReceipt() - before > 0);
		CompletableFuture<Void> ended = new CompletableFuture<>();
		track(() -> ended.complete(null));
		this.curator.getZookeeperClient().reset();
		awaitConnected();
		assertThat(ended).isNotDone();
		this.source.connectionChanged(ConnectionState.RECONNECTED);
		assertThat(ended).isDone();
		assertThat(this.source.current()).isNotSameAs(former);
	}

	private void track(Runnable end) {
		this.source.current().track(new SessionMember() {

			@Override
			public String id() {
				return "member";
			}

			@Override
			public void sessionEnded() {
				end.run();
			}

		});
	}

}
