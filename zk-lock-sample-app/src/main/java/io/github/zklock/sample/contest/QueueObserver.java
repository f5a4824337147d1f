package io.github.zklock.sample.contest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.ContenderOrigin;

/**
 * Watches the queue of a key from outside, over a session of its own: the nodes that are
 * in ZooKeeper, and since when. With the naive strategy there is the holder's node alone,
 * because who waits only has a watch.
 */
public final class QueueObserver implements AutoCloseable {

	/*-
	 * All changes come on one thread, Curator's for listeners, in the order in which the session's
	 * events brought them there; readers wait for `settle`.
	 * A node that came and went between two answers to the cache is not seen: what is shown is
	 * what an observer sees. A node that was made again under the same name has another czxid.
	 */

	private static final int SETTLE_SECONDS = 5;

	private final OwnSession session;

	private final CuratorCache cache;

	private final Map<String, QueuedNode> queued = new HashMap<>();

	private final Set<Long> seen = new HashSet<>();

	private final List<Length> lengths = new ArrayList<>();

	private QueueObserver(OwnSession session, String path) {
		this.session = session;
		this.cache = CuratorCache.build(session.curator(), path);
	}

	/**
	 * Begins to watch.
	 * @param session the session to watch over; it is closed with the observer
	 * @param path the key node
	 * @return the observer, which has seen what is there now
	 * @throws LockUnavailableException if the servers do not show it in time
	 * @throws InterruptedException if interrupted; the session is closed
	 */
	public static QueueObserver start(OwnSession session, String path) throws InterruptedException {
		QueueObserver observer = new QueueObserver(session, path);
		CountDownLatch initialized = new CountDownLatch(1);
		observer.cache.listenable()
			.addListener(CuratorCacheListener.builder()
				.forCreatesAndChanges((before, now) -> observer.present(now))
				.forDeletes(observer::gone)
				.forInitialized(initialized::countDown)
				.build());
		observer.cache.start();
		try {
			if (!initialized.await(SETTLE_SECONDS, TimeUnit.SECONDS)) {
				throw new LockUnavailableException("ZooKeeper did not show the queue at " + path + " in time");
			}
			return observer;
		}
		catch (InterruptedException | LockUnavailableException ex) {
			observer.close();
			throw ex;
		}
	}

	private synchronized void present(@Nullable ChildData node) {
		if (node != null && node.getStat().getEphemeralOwner() != 0) {
			this.queued.put(node.getPath(), new QueuedNode(node.getStat().getCzxid(), who(node)));
			this.seen.add(node.getStat().getCzxid());
			note();
		}
	}

	private synchronized void gone(ChildData node) {
		if (this.queued.remove(node.getPath()) != null) {
			note();
		}
	}

	private static String who(ChildData node) {
		ContenderOrigin origin = (node.getData() != null)
				? ContenderOrigin.parse(new String(node.getData(), StandardCharsets.UTF_8)) : null;
		return (origin != null && origin.instance() != null) ? origin.instance() : "another client";
	}

	private void note() {
		this.lengths.add(new Length(System.nanoTime(), this.queued.size()));
	}

	/**
	 * Waits until all that has happened in ZooKeeper was seen here.
	 * @throws LockUnavailableException if the servers do not show it in time
	 * @throws InterruptedException if interrupted
	 */
	void settle() throws InterruptedException {
		awaitLatest();
		// The cache reads a node when it gets the event, after what was just waited for
		awaitLatest();
		// And then notifies its listeners, on a thread of Curator's
		await(this.session.curator().runSafe(() -> {
		}));
	}

	private void awaitLatest() throws InterruptedException {
		CompletableFuture<Code> answer = new CompletableFuture<>();
		CuratorFramework curator = this.session.curator();
		try {
			// A leader answers a sync before it has applied all that it has committed
			curator.transaction()
				.inBackground((client, event) -> answer.complete(Code.get(event.getResultCode())))
				.forOperations(curator.transactionOp().check().forPath("/"));
		}
		catch (Exception ex) {
			throw new LockUnavailableException("ZooKeeper could not be asked for its latest state", ex);
		}
		Code code = await(answer);
		// A quorum has accepted it also where this client must not read the root
		if (code != Code.OK && code != Code.NOAUTH) {
			throw new LockUnavailableException("ZooKeeper did not show its latest state: " + code);
		}
	}

	private static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
		try {
			return answer.get(SETTLE_SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new LockUnavailableException("ZooKeeper did not show its latest state in time", ex);
		}
	}

	/**
	 * Returns who is there now.
	 * @return the contenders in the order of their coming; of an exclusive lock the first
	 * one holds it
	 */
	public synchronized List<QueuedNode> queued() {
		return this.queued.values().stream().sorted(Comparator.comparingLong(QueuedNode::czxid)).toList();
	}

	synchronized List<Length> lengths() {
		return List.copyOf(this.lengths);
	}

	synchronized int nodesSeen() {
		return this.seen.size();
	}

	@Override
	public void close() {
		this.cache.close();
		this.session.close();
	}

	/**
	 * A contender in the queue.
	 *
	 * @param czxid when it came, on the clock of the servers' transactions
	 * @param who who made the node, as it says itself
	 */
	public record QueuedNode(long czxid, String who) {
	}

	/**
	 * How long the queue was from some moment on.
	 *
	 * @param since the moment, on the clock of {@link System#nanoTime()}
	 * @param nodes how many nodes were there
	 */
	record Length(long since, int nodes) {
	}

}
