package io.github.zklock.sample.contest;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Makes ZooKeeper handles that count the watch events that reach them.
 */
final class WatchEventCounter implements ZookeeperFactory {

	/*-
	 * ZooKeeper keeps watchers in sets: one that is registered twice for a node is notified once.
	 * Wrapped watchers are records, so that they are equal when what they wrap is.
	 */

	private final LongAdder events = new LongAdder();

	/**
	 * Returns how many nodes' changes were reported to watchers of all handles so far.
	 * @return the number
	 */
	long count() {
		return this.events.sum();
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
			throws IOException {
		return new CountingZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly);
	}

	private @Nullable Watcher counting(@Nullable Watcher watcher) {
		return (watcher != null) ? new CountingWatcher(watcher, this.events) : null;
	}

	private record CountingWatcher(Watcher target, LongAdder events) implements Watcher {

		@Override
		public void process(WatchedEvent event) {
			switch (event.getType()) {
				case NodeCreated, NodeDeleted, NodeDataChanged, NodeChildrenChanged -> this.events.increment();
				default -> {
					// a session's event, or the echo of a removed watch
				}
			}
			this.target.process(event);
		}

	}

	private final class CountingZooKeeper extends ZooKeeper {

		CountingZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
				throws IOException {
			super(connectString, sessionTimeout, watcher, canBeReadOnly);
		}

		@Override
		public void getData(String path, @Nullable Watcher watcher, DataCallback callback, @Nullable Object context) {
			super.getData(path, counting(watcher), callback, context);
		}

		@Override
		public void exists(String path, @Nullable Watcher watcher, StatCallback callback, @Nullable Object context) {
			super.exists(path, counting(watcher), callback, context);
		}

		@Override
		public void getChildren(String path, @Nullable Watcher watcher, Children2Callback callback,
				@Nullable Object context) {
			super.getChildren(path, counting(watcher), callback, context);
		}

	}

}
