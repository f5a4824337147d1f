package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.sample.contest.OwnSession;
import io.github.zklock.sample.contest.QueueObserver;
import io.github.zklock.sample.contest.QueueObserver.QueuedNode;

/**
 * Watches the queue of the key while a contender is in it that is not of a contest, over
 * a connection of its own that is opened for that and closed after it.
 */
final class KeyWatch {

	/*-
	 * Opening and closing wait for the servers, so each is done by a thread that ends with it;
	 * a watch is closed when it has been opened.
	 */

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

	private final CuratorFramework curator;

	private final LabKey key;

	private @Nullable CompletableFuture<QueueObserver> watch;

	KeyWatch(CuratorFramework curator, LabKey key) {
		this.curator = curator;
		this.key = key;
	}

	/**
	 * Opens the watch if it is wanted and there is none, or none that could be opened;
	 * closes it if it is not wanted any more.
	 * @param isWanted asked here, so that of two calls the later one knows what is true
	 */
	synchronized void want(BooleanSupplier isWanted) {
		boolean wanted = isWanted.getAsBoolean();
		if (wanted && (this.watch == null || hasFailed())) {
			String path = this.key.path();
			this.watch = CompletableFuture.supplyAsync(() -> open(path), KeyWatch::execute);
		}
		else if (!wanted && this.watch != null) {
			CompletableFuture<Void> unused = this.watch.thenAcceptAsync(QueueObserver::close, KeyWatch::execute);
			this.watch = null;
		}
	}

	private QueueObserver open(String path) {
		String servers = this.curator.getZookeeperClient().getCurrentConnectionString();
		try {
			return QueueObserver.start(OwnSession.connect(servers, SESSION_TIMEOUT), path);
		}
		catch (InterruptedException ex) {
			throw new LockUnavailableException("Interrupted while connecting", ex);
		}
	}

	private static void execute(Runnable task) {
		new Thread(task, "lab-key-watch").start();
	}

	synchronized boolean hasFailed() {
		return this.watch != null && this.watch.isCompletedExceptionally();
	}

	/**
	 * Returns who is in the queue.
	 * @return the contenders, the holder first; empty if nobody is watched, or ZooKeeper
	 * cannot be reached
	 */
	synchronized List<QueuedNode> queue() {
		return (this.watch != null && this.watch.isDone() && !this.watch.isCompletedExceptionally())
				? this.watch.join().queued() : List.of();
	}

}
