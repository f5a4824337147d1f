package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.client.Inspection;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.client.WaitGraph;
import io.github.zklock.internal.session.SessionSource;

/**
 * Looks at locks on a connection of its own, which is opened when it is needed and closed
 * when it is not needed any more.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockInspector implements LockInspector {

	/*-
	 * One call at a time, under `lock`, which also guards `closing` and `warnedOf`, and in which `connection`
	 * changes. `uses` counts calls, so that a connection is closed as idle only if nobody came meanwhile. After a
	 * failure it is closed at once: what was too long for it would be asked again otherwise. One end at most is
	 * timed, that behind the last call.
	 *
	 * A close does not wait for a call, but closes its connection, so that the answers it waits for are lost at once.
	 * Both look at `closed` and `connection` in such an order that one of them closes what the call has opened.
	 */

	private static final Logger log = LoggerFactory.getLogger(ZooKeeperLockInspector.class);

	private static final int PATIENCE_SECONDS = 10;

	private static final int PAUSE_MILLIS = 10;

	private static final int CLOSE_MILLIS = 500;

	private static final String CLOSED = "The inspector of the locks is closed";

	private static final Duration LONGEST_IDLE = Duration.ofDays(1);

	private static final int MOST_NAMED = 5;

	/** What is hidden later is not warned of. */
	private static final int MOST_WARNED_OF = 10_000;

	private final ReentrantLock lock = new ReentrantLock();

	private final SessionSource source;

	private final OpenAcquisitions open;

	private final Supplier<CuratorFramework> connections;

	private final Duration idle;

	private final Set<String> warnedOf = new HashSet<>();

	private volatile @Nullable CuratorFramework connection;

	private @Nullable Future<?> closing;

	private long uses;

	private volatile boolean closed;

	/**
	 * Creates an inspector that is not connected yet.
	 * @param client the lock client whose root is looked at, and whose callers are known
	 * @param connections gives connections that are not started
	 * @param idle after how long without a call the connection is closed; a day at most
	 */
	public ZooKeeperLockInspector(ZooKeeperLockClient client, Supplier<CuratorFramework> connections, Duration idle) {
		this.source = client.parts().source();
		this.open = client.parts().core().open();
		this.connections = connections;
		this.idle = (idle.compareTo(LONGEST_IDLE) < 0) ? idle : LONGEST_IDLE;
	}

	/**
	 * Creates an inspector that is not connected yet. It connects to the servers of the
	 * lock client as {@link CuratorBlueprint#like} does, without credentials.
	 * @param client the lock client whose root is looked at, and whose callers are known
	 * @param idle after how long without a call the connection is closed; a day at most
	 */
	public ZooKeeperLockInspector(ZooKeeperLockClient client, Duration idle) {
		this(client, client.parts().connections(), idle);
	}

	@Override
	public Page keys(int page, int size) {
		Inspection.checkPage(page, size);
		return ask((reads) -> {
			List<String> taken = reads.takenKeyNodes(this.source.paths(), keyNodes(reads));
			List<String> shown = taken.stream().skip((long) page * size).limit(size).toList();
			return new Page(page, size, taken.size(), taken(reads, shown));
		});
	}

	private List<String> keyNodes(InspectorReads reads) {
		return reads.keyNodes(this.source.paths())
			.stream()
			.filter((name) -> this.source.paths().keyOf(name).isPresent())
			.toList();
	}

	// A node that has only a key's digest does not say which key it is for.
	private List<LockQueue> taken(InspectorReads reads, List<String> names) {
		Map<String, String> known = new HashMap<>();
		this.open.keys().forEach((key) -> known.put(this.source.paths().keyNode(key), key));
		Map<String, String> keys = new LinkedHashMap<>();
		names.forEach((name) -> {
			String keyNode = this.source.paths().root() + "/" + name;
			String key = known.get(keyNode);
			keys.put(keyNode, (key != null) ? key : this.source.paths().keyOf(name).orElse(name));
		});
		return reads.queues(keys).stream().filter((queue) -> !queue.contenders().isEmpty()).toList();
	}

	@Override
	public LockQueue line(String key) {
		return ask((reads) -> this.source.paths()
			.keyNodes(key)
			.stream()
			.map((keyNode) -> reads.queue(key, keyNode, InspectorReads.LONGEST_QUEUE))
			.filter((queue) -> !queue.contenders().isEmpty())
			.findFirst()
			.orElse(new LockQueue(key, List.of())));
	}

	/**
	 * Looks at one lock node, also at one that is too far behind in its queue to be
	 * shown.
	 * @param node its full path
	 * @return who holds or waits by it; empty if nobody does, or if it is no lock node of
	 * the keys that are looked at
	 * @throws LockUnavailableException if the servers gave no answer, or one that was too
	 * long, or refused
	 */
	public Optional<LockQueue.Contender> contender(String node) {
		return this.source.paths()
			.keyNodeOf(node)
			.flatMap((keyNode) -> ask((reads) -> reads.queue(node, keyNode, Integer.MAX_VALUE)).contenders()
				.stream()
				.filter((contender) -> contender.path().equals(node))
				.findFirst());
	}

	@Override
	public Waits waits() {
		return ask((reads) -> {
			WaitGraph graph = new WaitGraph(this.source.identity().asCaller(), this.open.localCallers());
			taken(reads, keyNodes(reads)).forEach(graph::add);
			return graph.result();
		});
	}

	@Override
	public List<LocalWaiter> localWaiters() {
		return Inspection.localWaiters(this.open.pending());
	}

	@Override
	public List<JobRun> jobs() {
		return ask((reads) -> reads.jobs(this.source.paths()));
	}

	@Override
	public List<HolderNote> ask(String key, String reason) {
		Inspection.checkReason(reason);
		return this.source.paths().isKey(key) ? ask((reads) -> reads.askHolders(this.source.paths(), key, reason))
				: List.of();
	}

	@Override
	public List<LockQueue.Contender> forceRelease(String key) {
		return forceRelease(key, (released) -> {
		});
	}

	@Override
	public List<LockQueue.Contender> forceRelease(String key, Consumer<? super LockQueue.Contender> released) {
		List<String> keyNodes = this.source.paths().keyNodes(key);
		return keyNodes.isEmpty() ? List.of()
				: ask((reads) -> keyNodes.stream()
					.map((keyNode) -> new ForcedRelease(reads, this.source, key, keyNode, released).run())
					.filter((holders) -> !holders.isEmpty())
					.findFirst()
					.orElse(List.of()));
	}

	private <T> T ask(Function<InspectorReads, T> question) {
		try {
			if (!this.lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
				throw new LockUnavailableException("Another call is looking at the locks");
			}
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
		boolean answered = false;
		try {
			Set<String> unread = new TreeSet<>();
			T answer = question.apply(
					new InspectorReads(connect().getZookeeperClient().getZooKeeper(), this.source.identity(), unread));
			warn(unread);
			answered = true;
			return answer;
		}
		catch (RuntimeException ex) {
			throw this.closed ? new LockUnavailableException(CLOSED, ex) : ex;
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
		catch (Exception ex) {
			throw new LockUnavailableException("ZooKeeper could not be asked about the locks: " + ex, ex);
		}
		finally {
			try {
				if (answered) {
					closeLater(++this.uses);
				}
				else {
					disconnect();
				}
			}
			finally {
				this.lock.unlock();
				closeIfClosed();
			}
		}
	}

	private void warn(Set<String> unread) {
		List<String> more = unread.stream().filter((path) -> !this.warnedOf.contains(path)).toList();
		if (more.isEmpty() || this.warnedOf.size() >= MOST_WARNED_OF) {
			return;
		}
		this.warnedOf.addAll(more);
		log.warn("The inspector may not read {} key nodes, and does not show who holds or wants their keys: {}",
				unread.size(), String.join(", ", more.subList(0, Math.min(MOST_NAMED, more.size()))));
	}

	private static LockUnavailableException interrupted(InterruptedException cause) {
		Thread.currentThread().interrupt();
		return new LockUnavailableException("Interrupted while ZooKeeper was asked about the locks", cause);
	}

	private CuratorFramework connect() throws InterruptedException {
		checkOpen();
		CuratorFramework known = this.connection;
		if (known == null) {
			known = this.connections.get();
			known.start();
			this.connection = known;
			checkOpen();
		}
		// To wait itself Curator looks at the wall clock, which may be set back meanwhile
		long began = System.nanoTime();
		while (!known.blockUntilConnected(0, TimeUnit.MILLISECONDS)) {
			if (System.nanoTime() - began >= TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
				throw new LockUnavailableException(
						"No ZooKeeper server could be reached within " + PATIENCE_SECONDS + "s");
			}
			TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			checkOpen();
		}
		return known;
	}

	private void checkOpen() {
		if (this.closed) {
			throw new LockUnavailableException(CLOSED);
		}
	}

	// To close waits for the server, so the timer must not do it.
	private void closeLater(long use) {
		closeNoMore();
		this.closing = this.source.timer()
			.after(this.idle.toNanos(), () -> closer(() -> closeIfIdleSince(use)).start());
	}

	private Thread closer(Runnable task) {
		return this.source.timer().forBlocking(task, "zk-lock-inspector-close");
	}

	private void closeNoMore() {
		if (this.closing != null) {
			this.closing.cancel(false);
			this.closing = null;
		}
	}

	private void closeIfIdleSince(long use) {
		this.lock.lock();
		try {
			if (this.uses == use) {
				disconnect();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void disconnect() {
		closeNoMore();
		CuratorFramework known = this.connection;
		this.connection = null;
		end(known);
	}

	// ZooKeeper's close waits for the server, for as long as the session lasts; an
	// interrupt ends that
	private void end(@Nullable CuratorFramework ended) {
		if (ended == null || ended.getState() != CuratorFrameworkState.STARTED) {
			return;
		}
		Thread closer = closer(ended::close);
		closer.start();
		boolean interrupted = Thread.interrupted();
		try {
			closer.join(CLOSE_MILLIS);
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		closer.interrupt();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Returns whether there is a connection.
	 * @return false before the first call, and when nobody has asked for some time
	 */
	boolean isConnected() {
		this.lock.lock();
		try {
			return this.connection != null;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		end(this.connection);
		closeIfClosed();
	}

	// Where a call has the lock, it comes here when it has left it
	private void closeIfClosed() {
		if (this.closed && this.lock.tryLock()) {
			try {
				disconnect();
			}
			finally {
				this.lock.unlock();
			}
		}
	}

}
