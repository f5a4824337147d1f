package io.github.zklock.internal.session;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.internal.concurrent.Timer;

/**
 * A handle without a server: it keeps what it is asked until somebody answers by hand.
 * For scenarios of what happens around a session, and none of the protocol. There is one
 * for all of them, because making a handle starts threads.
 */
public final class HandPlayedZooKeeper extends ZooKeeper {

	/** The only one. */
	public static final HandPlayedZooKeeper HANDLE = make();

	private static final int SESSION_TIMEOUT = 6000;

	private volatile Queue<Answerable> transactions = new ConcurrentLinkedQueue<>();

	private volatile Queue<Answerable> reads = new ConcurrentLinkedQueue<>();

	private volatile Queue<Answerable> stats = new ConcurrentLinkedQueue<>();

	private volatile Queue<Answerable> syncs = new ConcurrentLinkedQueue<>();

	private volatile Queue<Answerable> creates = new ConcurrentLinkedQueue<>();

	private volatile Queue<Answerable> deletes = new ConcurrentLinkedQueue<>();

	private volatile Queue<BiConsumer<Code, List<String>>> lists = new ConcurrentLinkedQueue<>();

	private volatile AtomicInteger removals = new AtomicInteger();

	private volatile long listedOwner;

	private volatile byte[] content = new byte[0];

	private volatile List<OpResult> results = List.of();

	private volatile byte[] lastContent = new byte[0];

	private volatile Iterable<Op> lastOps = List.of();

	private volatile Watcher watcher;

	private volatile Map<String, Watcher> watchers = new ConcurrentHashMap<>();

	private volatile int sessionTimeout = SESSION_TIMEOUT;

	private volatile States state = States.CONNECTED;

	private volatile Runnable onRemoval = HandPlayedZooKeeper::nothing;

	private volatile Runnable onRead = HandPlayedZooKeeper::nothing;

	private volatile Runnable onDelete = HandPlayedZooKeeper::nothing;

	private HandPlayedZooKeeper() throws IOException {
		super("127.0.0.1:1", SESSION_TIMEOUT, (event) -> {
		});
	}

	private static HandPlayedZooKeeper make() {
		try {
			HandPlayedZooKeeper handle = new HandPlayedZooKeeper();
			handle.close();
			return handle;
		}
		catch (IOException | InterruptedException ex) {
			throw new AssertionError("No server is needed for this", ex);
		}
	}

	/** Forgets what it was asked. */
	public void reset() {
		this.sessionTimeout = SESSION_TIMEOUT;
		this.state = States.CONNECTED;
		this.transactions = new ConcurrentLinkedQueue<>();
		this.reads = new ConcurrentLinkedQueue<>();
		this.stats = new ConcurrentLinkedQueue<>();
		this.syncs = new ConcurrentLinkedQueue<>();
		this.removals = new AtomicInteger();
		this.creates = new ConcurrentLinkedQueue<>();
		this.deletes = new ConcurrentLinkedQueue<>();
		this.lists = new ConcurrentLinkedQueue<>();
		this.watchers = new ConcurrentHashMap<>();
		this.onRemoval = HandPlayedZooKeeper::nothing;
		this.onRead = HandPlayedZooKeeper::nothing;
		this.onDelete = HandPlayedZooKeeper::nothing;
	}

	/**
	 * Makes a session of this handle, with a host that does nothing.
	 * @param clock its clock
	 * @param timer its timer
	 * @return the session
	 */
	public LockSession session(LongSupplier clock, Timer timer) {
		return new LockSession(this, clock, timer, new SessionCounters(), Lease::new, null, (idle) -> {
		});
	}

	/** Has no connection from now on. */
	public void disconnect() {
		this.state = States.CONNECTING;
	}

	/**
	 * Cuts the session time-out in half, as a server does with a smaller maximum.
	 */
	public void cutSessionTimeout() {
		this.sessionTimeout = SESSION_TIMEOUT / 2;
	}

	public int pendingTransactions() {
		return this.transactions.size();
	}

	public int pendingLists() {
		return this.lists.size();
	}

	public int removedWatches() {
		return this.removals.get();
	}

	/**
	 * Returns who waits at the node that was read last.
	 * @return the watcher
	 */
	public Watcher watcher() {
		return this.watcher;
	}

	/**
	 * Returns who waits at a node.
	 * @param path the node's path
	 * @return who asked last to watch it, or null
	 */
	public Watcher watcherOf(String path) {
		return this.watchers.get(path);
	}

	/**
	 * Answers the oldest transaction, if there is one.
	 * @param code with what
	 * @return whether there was one
	 */
	public boolean answerTransaction(Code code) {
		return answer(this.transactions.poll(), code);
	}

	/**
	 * Answers the oldest transaction, if there is one, as a server that has handled it.
	 * @param handled the results
	 * @return whether there was one
	 */
	public boolean answerTransaction(List<OpResult> handled) {
		this.results = handled;
		boolean answered = answerTransaction(Code.OK);
		this.results = List.of();
		return answered;
	}

	/**
	 * Answers the oldest read, if there is one.
	 * @param code with what
	 * @return whether there was one
	 */
	public boolean answerRead(Code code) {
		return answer(this.reads.poll(), code);
	}

	/**
	 * Answers the oldest read, if there is one.
	 * @param data what was read
	 * @return whether there was one
	 */
	public boolean answerRead(byte[] data) {
		this.content = data;
		boolean answered = answerRead(Code.OK);
		this.content = new byte[0];
		return answered;
	}

	/**
	 * Returns what the last transaction asks for.
	 * @return its operations
	 */
	public Iterable<Op> lastTransaction() {
		return this.lastOps;
	}

	/**
	 * Returns what the node is to say that was to be created last, but by a transaction.
	 * @return its data
	 */
	public byte[] lastContent() {
		return this.lastContent;
	}

	/**
	 * Answers the oldest question whether a node is there, if there is one.
	 * @param code with what
	 * @return whether there was one
	 */
	public boolean answerExists(Code code) {
		return answer(this.stats.poll(), code);
	}

	/**
	 * Answers the oldest sync, if there is one.
	 * @param code with what
	 * @return whether there was one
	 */
	public boolean answerSync(Code code) {
		return answer(this.syncs.poll(), code);
	}

	/**
	 * Answers the oldest sync, and the oldest transaction, with a code of newer servers.
	 * @param rc what {@link Code} does not have
	 */
	public void answerUnknown(int rc) {
		this.syncs.remove().with(rc);
		this.transactions.remove().with(rc);
	}

	/**
	 * Answers the oldest create, if there is one.
	 * @param code with what
	 * @return whether there was one
	 */
	public boolean answerCreate(Code code) {
		return answer(this.creates.poll(), code);
	}

	/**
	 * Answers the oldest delete, if there is one.
	 * @param code with what
	 * @return whether there was one
	 */
	public boolean answerDelete(Code code) {
		return answer(this.deletes.poll(), code);
	}

	/**
	 * Answers the oldest list of children, if there is one.
	 * @param code with what
	 * @param names the children
	 * @return whether there was one
	 */
	public boolean answerChildren(Code code, String... names) {
		BiConsumer<Code, List<String>> list = this.lists.poll();
		if (list != null) {
			list.accept(code, List.of(names));
		}
		return list != null;
	}

	/**
	 * Answers the oldest list of children, if there is one, as for a node of ours that
	 * can have none.
	 * @return whether there was one
	 */
	public boolean answerNoChildrenForEphemeral() {
		this.listedOwner = getSessionId();
		boolean answered = answerChildren(Code.OK);
		this.listedOwner = 0;
		return answered;
	}

	/**
	 * Runs a step each time that watches are to be removed.
	 * @param step what to do
	 */
	public void onRemoval(Runnable step) {
		this.onRemoval = step;
	}

	/**
	 * Runs a step each time that a node is read.
	 * @param step what to do
	 */
	public void onRead(Runnable step) {
		this.onRead = step;
	}

	/**
	 * Runs a step each time before a delete is sent.
	 * @param step what to do
	 */
	public void onDelete(Runnable step) {
		this.onDelete = step;
	}

	private static boolean answer(Answerable request, Code code) {
		if (request != null) {
			request.with(code.intValue());
		}
		return request != null;
	}

	@Override
	public States getState() {
		return this.state;
	}

	@Override
	public long getSessionId() {
		return 1;
	}

	@Override
	public int getSessionTimeout() {
		return this.sessionTimeout;
	}

	@Override
	public void multi(Iterable<Op> ops, AsyncCallback.MultiCallback callback, Object context) {
		this.lastOps = ops;
		this.transactions.add((code) -> callback.processResult(code, "/", context, this.results));
	}

	@Override
	public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, AsyncCallback.Create2Callback callback,
			Object context) {
		this.lastContent = data;
		this.creates.add((code) -> callback.processResult(code, path, context, path, stat(1)));
	}

	@Override
	public void delete(String path, int version, AsyncCallback.VoidCallback callback, Object context) {
		this.onDelete.run();
		this.deletes.add((code) -> callback.processResult(code, path, context));
	}

	@Override
	public void getChildren(String path, Watcher watcher, AsyncCallback.Children2Callback callback, Object context) {
		if (watcher != null) {
			this.watchers.put(path, watcher);
		}
		this.lists.add((code, names) -> callback.processResult(code.intValue(), path, context,
				(code == Code.OK) ? names : null, (code == Code.OK) ? stat(this.listedOwner) : null));
	}

	@Override
	public void sync(String path, AsyncCallback.VoidCallback callback, Object context) {
		this.syncs.add((code) -> callback.processResult(code, path, context));
	}

	@Override
	public void getData(String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
		this.watcher = watcher;
		if (watcher != null) {
			this.watchers.put(path, watcher);
		}
		this.reads.add((code) -> callback.processResult(code, path, context, this.content,
				(code == Code.OK.intValue()) ? stat(1) : null));
		this.onRead.run();
	}

	@Override
	public void exists(String path, Watcher watcher, AsyncCallback.StatCallback callback, Object context) {
		this.stats
			.add((code) -> callback.processResult(code, path, context, (code == Code.OK.intValue()) ? stat(1) : null));
	}

	@Override
	public void removeAllWatches(String path, WatcherType type, boolean local, AsyncCallback.VoidCallback callback,
			Object context) {
		this.removals.incrementAndGet();
		this.onRemoval.run();
	}

	private static Stat stat(long owner) {
		return new Stat(1, 1, 0, 0, 0, 0, 0, owner, 0, 0, 1);
	}

	private static void nothing() {
	}

	/** Something that was asked. */
	private interface Answerable {

		void with(int code);

	}

}
