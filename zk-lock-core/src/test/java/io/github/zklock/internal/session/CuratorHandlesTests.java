package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.listen.StandardListenerManager;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is known of the moments when there was no connection.
 */
class CuratorHandlesTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final AtomicLong now = new AtomicLong();

	@Test
	@Tag("SessionSource.I4")
	void onlyALookThatFindsNoConnectionIsAMomentWithoutOne() throws Exception {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			CuratorHandles handles = new CuratorHandles(curator, this.now::incrementAndGet, new NobodyIsTold());
			assertThat(handles.unconnectedAt()).isNull();
			long before = this.now.get();
			handles.take((handle) -> {
			});
			assertThat(handles.unconnectedAt()).isEqualTo(before + 1);
			curator.start();
			await().until(() -> curator.getZookeeperClient().isConnected());
			handles.take((handle) -> {
			});
			assertThat(handles.unconnectedAt()).isEqualTo(before + 1);
		}
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
				public void connectionLost(boolean already) {
					replaced.add(already);
				}

			}).listen();
			((StandardListenerManager<ConnectionStateListener>) inNamespace.getConnectionStateListenable())
				.forEach((listener) -> listener.stateChanged(inNamespace, ConnectionState.SUSPENDED));
			assertThat(replaced).containsExactly(true);
		}
	}

	private static class NobodyIsTold implements CuratorHandles.Host {

		@Override
		public void connectionLost(boolean replaced) {
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
