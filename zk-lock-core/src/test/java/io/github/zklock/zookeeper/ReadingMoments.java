package io.github.zklock.zookeeper;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * Makes handles on which a step is done at a chosen moment between two requests, or which
 * seem to be connected to a server that lags.
 */
final class ReadingMoments implements ZookeeperFactory {

	private final Map<String, Callable<?>> before = new ConcurrentHashMap<>();

	private final Map<String, Callable<?>> behind = new ConcurrentHashMap<>();

	private volatile boolean lagging;

	/**
	 * Does something once, before a node is read.
	 * @param path the node's path
	 * @param step what to do
	 */
	void beforeRead(String path, Callable<?> step) {
		this.before.put(path, step);
	}

	/**
	 * Does something once, when a node was read and before that is known.
	 * @param path the node's path
	 * @param step what to do
	 */
	void behindRead(String path, Callable<?> step) {
		this.behind.put(path, step);
	}

	/** All that was read before is read unchanged, until a transaction was made. */
	void lag() {
		this.lagging = true;
	}

	@Override
	public ZooKeeper newZooKeeper(String servers, int timeout, Watcher watcher, boolean readOnly) throws IOException {
		return new Handle(servers, timeout, watcher);
	}

	private static void run(Callable<?> step) {
		try {
			if (step != null) {
				step.call();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private final class Handle extends ZooKeeper {

		private final Map<String, Consumer<AsyncCallback.Children2Callback>> lists = new ConcurrentHashMap<>();

		private final Map<String, Consumer<AsyncCallback.DataCallback>> contents = new ConcurrentHashMap<>();

		Handle(String servers, int timeout, Watcher watcher) throws IOException {
			super(servers, timeout, watcher);
		}

		@Override
		public void getChildren(String path, Watcher watcher, AsyncCallback.Children2Callback callback,
				Object context) {
			if (ReadingMoments.this.lagging && this.lists.containsKey(path)) {
				this.lists.get(path).accept(callback);
				return;
			}
			super.getChildren(path, watcher, (code, given, same, names, stat) -> {
				this.lists.put(path, (later) -> later.processResult(code, given, same, names, stat));
				callback.processResult(code, given, same, names, stat);
			}, context);
		}

		@Override
		public void getData(String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
			run(ReadingMoments.this.before.remove(path));
			if (ReadingMoments.this.lagging && this.contents.containsKey(path)) {
				this.contents.get(path).accept(callback);
				return;
			}
			super.getData(path, watcher, (code, given, same, content, stat) -> {
				this.contents.put(path, (later) -> later.processResult(code, given, same, content, stat));
				run(ReadingMoments.this.behind.remove(path));
				callback.processResult(code, given, same, content, stat);
			}, context);
		}

		@Override
		public void multi(Iterable<Op> ops, AsyncCallback.MultiCallback callback, Object context) {
			ReadingMoments.this.lagging = false;
			super.multi(ops, callback, context);
		}

	}

}
