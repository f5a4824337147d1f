package io.github.zklock.internal.session;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.listen.ListenerManager;
import org.apache.curator.framework.listen.StandardListenerManager;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is known of when a handle was made, and of lost connections.
 */
class CuratorHandlesTests {

	private static final String NOBODY = "127.0.0.1:1";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final AtomicLong now = new AtomicLong();

	private final List<Long> taken = new ArrayList<>();

	@Test
	@Tag("SessionSource.I4")
	void aLookThatFindsNoConnectionMayComeBehindTheRequestForOne() throws Exception {
		this.zk.servers().stop();
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			CuratorHandles handles = handles(curator);
			long withoutHandle = take(handles);
			curator.start();
			take(handles);
			assertThat(this.taken).as("while there is no connection").isEmpty();
			this.zk.servers().start();
			await().until(() -> curator.getZookeeperClient().isConnected());
			take(handles);
			assertThat(this.taken).containsExactly(withoutHandle);
		}
	}

	@Test
	@Tag("SessionSource.I4")
	void aHandleIsMadeAfterTheLastLookAtTheOneBefore() throws Exception {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			curator.start();
			await().until(() -> curator.getZookeeperClient().isConnected());
			CuratorHandles handles = handles(curator);
			take(handles);
			long withFormer = take(handles);
			curator.getZookeeperClient().reset();
			await().until(() -> curator.getZookeeperClient().isConnected());
			take(handles);
			take(handles);
			assertThat(this.taken).containsExactly(null, null, withFormer, withFormer);
		}
	}

	@Test
	void i1AHandleThatAnotherClientHasRenewedIsLeftAlone() throws Exception {
		this.zk.announce("refused the credentials");
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			curator.start();
			await().until(() -> curator.getZookeeperClient().isConnected());
			ZooKeeper refused = curator.getZookeeperClient().getZooKeeper();
			refused.addAuthInfo("unknown", new byte[0]);
			await().until(() -> refused.getState() == ZooKeeper.States.AUTH_FAILED);
			CuratorHandles one = handles(curator);
			CuratorHandles two = handles(curator);
			assertThat(one.refusal()).isEqualTo(CuratorHandles.Refusal.NOW);
			assertThat(two.refusal()).isEqualTo(CuratorHandles.Refusal.NOW);
			one.renew();
			await().until(() -> curator.getZookeeperClient().isConnected());
			ZooKeeper renewed = curator.getZookeeperClient().getZooKeeper();
			assertThat(renewed).isNotSameAs(refused);
			two.renew();
			assertThat(curator.getZookeeperClient().getZooKeeper()).isSameAs(renewed);
			assertThat(renewed.getState()).isEqualTo(ZooKeeper.States.CONNECTED);
		}
	}

	@Test
	void refusedCredentialsAreWarnedOfOnceUntilTheyAreAccepted() throws Exception {
		this.zk.announce("refused the credentials");
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger(CuratorHandles.class);
		logged.start();
		logger.addAppender(logged);
		logger.setLevel(Level.INFO);
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			curator.start();
			CuratorHandles handles = handles(curator);
			for (int i = 0; i < 3; i++) {
				refuseAndRenew(curator, handles);
			}
			await().until(() -> curator.getZookeeperClient().isConnected());
			take(handles);
			await().untilAsserted(() -> assertThat(logged.list).extracting(ILoggingEvent::getLevel)
				.containsExactly(Level.WARN, Level.INFO));
			assertThat(logged.list.get(1).getFormattedMessage())
				.contains("accept the credentials of this client again");
			refuseAndRenew(curator, handles);
			assertThat(logged.list).extracting(ILoggingEvent::getLevel)
				.containsExactly(Level.WARN, Level.INFO, Level.WARN);
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(logged);
		}
	}

	@Test
	void aRefusalIsOldSomeSecondsAfterTheRenewal() throws Exception {
		this.zk.announce("refused the credentials");
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			curator.start();
			CuratorHandles handles = handles(curator);
			assertThat(handles.wereRenewed()).isFalse();
			refuseAndRenew(curator, handles);
			assertThat(handles.wereRenewed()).isTrue();
			this.now.addAndGet(TimeUnit.SECONDS.toNanos(5));
			assertThat(handles.wereRenewed()).as("it may be over").isFalse();
		}
	}

	private void refuseAndRenew(CuratorFramework curator, CuratorHandles handles) throws Exception {
		await().until(() -> curator.getZookeeperClient().isConnected());
		ZooKeeper refused = curator.getZookeeperClient().getZooKeeper();
		refused.addAuthInfo("unknown", new byte[0]);
		await().until(() -> handles.refusal() == CuratorHandles.Refusal.NOW);
		this.now.addAndGet(TimeUnit.SECONDS.toNanos(1));
		handles.renew();
	}

	private CuratorHandles handles(CuratorFramework curator) {
		return new CuratorHandles(curator, this.now::incrementAndGet, new NobodyIsTold());
	}

	private long take(CuratorHandles handles) {
		handles.take((handle, madeAfter) -> this.taken.add(madeAfter));
		return this.now.get();
	}

	@Test
	@SuppressWarnings("unchecked")
	void aLossThatIsReportedLateIsReportedAsOneThatMayBeOver() throws Exception {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			curator.start();
			await().until(() -> curator.getZookeeperClient().isConnected());
			CuratorFramework inNamespace = curator.usingNamespace("orders");
			List<Boolean> replaced = new ArrayList<>();
			new CuratorHandles(inNamespace, this.now::incrementAndGet, new NobodyIsTold() {

				@Override
				public void connectionLost(BooleanSupplier already) {
					replaced.add(already.getAsBoolean());
				}

			}).listen();
			((StandardListenerManager<ConnectionStateListener>) inNamespace.getConnectionStateListenable())
				.forEach((listener) -> listener.stateChanged(inNamespace, ConnectionState.SUSPENDED));
			assertThat(replaced).containsExactly(true);
		}
	}

	@Test
	void whoStopsListeningLeavesNoListener() {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(NOBODY, new RetryOneTime(100))) {
			List<Integer> before = listeners(curator);
			CuratorHandles handles = handles(curator);
			handles.listen();
			assertThat(listeners(curator)).containsExactly(before.get(0) + 1, before.get(1) + 1);
			handles.stopListening();
			assertThat(listeners(curator)).isEqualTo(before);
		}
	}

	@Test
	@Tag("SessionSource.I6")
	void aHandleThatIsBeingClosedIsNotTakenUnderTheNextNumber() throws Exception {
		AtomicLong number = new AtomicLong();
		CuratorHandles handles = handles(played(number, () -> {
		}));
		take(handles);
		assertThat(handles.areClosing()).isFalse();
		number.incrementAndGet();
		take(handles);
		assertThat(handles.areClosing()).isTrue();
	}

	@Test
	@Tag("SessionSource.I6")
	void aHandleThatIsMadeMeanwhileIsTakenNextTime() throws Exception {
		AtomicLong number = new AtomicLong();
		CuratorHandles handles = handles(played(number, () -> number.compareAndSet(0, 1)));
		take(handles);
		assertThat(this.taken).isEmpty();
		assertThat(handles.areClosing()).isTrue();
		take(handles);
		assertThat(this.taken).hasSize(1);
		assertThat(handles.areClosing()).isFalse();
	}

	/** Has always one handle, and the number that a test gives it. */
	private static CuratorFramework played(AtomicLong number, Runnable meanwhile) {
		CuratorZookeeperClient client = new CuratorZookeeperClient(NOBODY, 6000, 6000, null, new RetryOneTime(100)) {

			@Override
			public ZooKeeper getZooKeeper() {
				meanwhile.run();
				return HandPlayedZooKeeper.HANDLE;
			}

			@Override
			public boolean isConnected() {
				return true;
			}

			@Override
			public long getInstanceIndex() {
				return number.get();
			}

		};
		return (CuratorFramework) Proxy.newProxyInstance(CuratorHandlesTests.class.getClassLoader(),
				new Class<?>[] { CuratorFramework.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "getZookeeperClient" -> client;
					case "getState" -> CuratorFrameworkState.STARTED;
					default -> throw new UnsupportedOperationException(method.getName());
				});
	}

	private static List<Integer> listeners(CuratorFramework curator) {
		return Stream.of(curator.getConnectionStateListenable(), curator.getCuratorListenable())
			.map((listenable) -> ((ListenerManager<?, ?>) listenable).size())
			.toList();
	}

	private static class NobodyIsTold implements CuratorHandles.Host {

		@Override
		public void connectionLost(BooleanSupplier replaced) {
		}

		@Override
		public void unusable(String reason) {
		}

		@Override
		public void connectionClosing() {
		}

		@Override
		public void connectionChanged(ConnectionState state) {
		}

	}

}
