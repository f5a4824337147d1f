package io.github.zklock.zookeeper;

import java.io.IOException;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Makes handles each of which takes a step before it closes.
 */
final class BeforeItCloses implements ZookeeperFactory {

	private final Step step;

	BeforeItCloses(Step step) {
		this.step = step;
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
			throws Exception {
		return newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, new ZKClientConfig());
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly,
			ZKClientConfig config) throws IOException {
		return new ZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, config) {

			@Override
			public boolean close(int waitForShutdownTimeoutMs) throws InterruptedException {
				BeforeItCloses.this.step.take();
				return super.close(waitForShutdownTimeoutMs);
			}

			@Override
			public synchronized void close() throws InterruptedException {
				BeforeItCloses.this.step.take();
				super.close();
			}

		};
	}

	/** What a handle does first. */
	@FunctionalInterface
	interface Step {

		void take() throws InterruptedException;

	}

}
