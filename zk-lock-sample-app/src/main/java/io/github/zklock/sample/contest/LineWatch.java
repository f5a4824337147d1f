package io.github.zklock.sample.contest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;

/*
 * All changes come on one thread, that of the session's events; readers wait for `settle`.
 * A node that came and went between two answers to the cache is not seen: what is shown is
 * what an observer sees. A node that was made again under the same name has another czxid.
 */
/**
 * Watches the line of a key from outside, over a session of its own: the nodes that stand
 * in ZooKeeper, and since when. With the naive strategy there is the holder's node alone,
 * because who waits only has a watch.
 */
final class LineWatch implements AutoCloseable {

	private static final int SETTLE_SECONDS = 5;

	private final OwnSession session;

	private final CuratorCache cache;

	private final Map<String, Long> standing = new HashMap<>();

	private final Set<Long> seen = new HashSet<>();

	private final List<Length> lengths = new ArrayList<>();

	private LineWatch(OwnSession session, String key) {
		this.session = session;
		this.cache = CuratorCache.build(session.curator(), OwnSession.ROOT + "/" + key);
	}

	static LineWatch start(OwnSession session, String key) throws InterruptedException {
		LineWatch watch = new LineWatch(session, key);
		CountDownLatch initialized = new CountDownLatch(1);
		watch.cache.listenable()
			.addListener(CuratorCacheListener.builder()
				.forCreatesAndChanges((before, now) -> watch.present(now))
				.forDeletes(watch::gone)
				.forInitialized(initialized::countDown)
				.build());
		watch.cache.start();
		if (!initialized.await(SETTLE_SECONDS, TimeUnit.SECONDS)) {
			watch.close();
			throw new LockUnavailableException("ZooKeeper did not show the line of '" + key + "' in time");
		}
		return watch;
	}

	private synchronized void present(@Nullable ChildData node) {
		if (node != null && node.getStat().getEphemeralOwner() != 0) {
			this.standing.put(node.getPath(), node.getStat().getCzxid());
			this.seen.add(node.getStat().getCzxid());
			note();
		}
	}

	private synchronized void gone(ChildData node) {
		if (this.standing.remove(node.getPath()) != null) {
			note();
		}
	}

	private void note() {
		this.lengths.add(new Length(System.nanoTime(), this.standing.size()));
	}

	/**
	 * Waits until all that has happened in ZooKeeper was seen here.
	 * @throws InterruptedException if interrupted
	 */
	void settle() throws InterruptedException {
		CountDownLatch synced = new CountDownLatch(1);
		try {
			this.session.curator().sync().inBackground((client, event) -> synced.countDown()).forPath("/");
		}
		catch (Exception ex) {
			throw new LockUnavailableException("ZooKeeper could not be asked for its latest state", ex);
		}
		if (!synced.await(SETTLE_SECONDS, TimeUnit.SECONDS)) {
			throw new LockUnavailableException("ZooKeeper did not show its latest state in time");
		}
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
	 * How long the line was from some moment on.
	 *
	 * @param since the moment, on the clock of {@link System#nanoTime()}
	 * @param nodes how many nodes stood there
	 */
	record Length(long since, int nodes) {
	}

}
