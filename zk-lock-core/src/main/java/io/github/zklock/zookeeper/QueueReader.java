package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.Grant;

/**
 * Reads a key's queue for people: one list and one read for each contender.
 */
final class QueueReader {

	/*-
	 * Answers come on ZooKeeper's event thread and become steps of one serial executor, to
	 * which all that changes is confined. `result` is completed once; what comes behind a
	 * failure changes nothing.
	 */

	static final int ALL = Integer.MAX_VALUE;

	/** Enough for a writer, or for some readers. */
	static final int FRONT = 5;

	private final OwnedSteps steps;

	private final CompletableFuture<LockQueue> result = new CompletableFuture<>();

	private final Map<String, Stat> stats = new HashMap<>();

	private final Map<String, byte[]> contents = new HashMap<>();

	private final LockSession session;

	private final ClientIdentity identity;

	private final String key;

	private final String keyNode;

	private final int limit;

	private int missing;

	private QueueReader(LockSession session, ClientIdentity identity, String key, String keyNode, int limit) {
		this.steps = new SerialExecutor(session.failures()).of(this, this::failed);
		this.session = session;
		this.identity = identity;
		this.key = key;
		this.keyNode = keyNode;
		this.limit = limit;
	}

	static CompletableFuture<LockQueue> read(SessionSource source, String key, int limit) {
		LockSession session = source.current();
		if (session == null) {
			return CompletableFuture.failedFuture(new LockUnavailableException(
					"Could not read the queue of lock '" + key + "': no ZooKeeper session"));
		}
		QueueReader reader = new QueueReader(session, source.identity(), key, source.paths().keyNode(key), limit);
		session.requests()
			.children(reader.keyNode, null,
					(code, names, stat) -> reader.steps.execute(() -> reader.listed(code, names, stat)));
		return reader.result.thenApplyAsync(Function.identity());
	}

	private void listed(Code code, @Nullable List<String> names, @Nullable Stat stat) {
		if (names == null || stat == null) {
			if (code == Code.NONODE) {
				this.result.complete(new LockQueue(this.key, List.of()));
			}
			else {
				fail(code);
			}
		}
		else if (stat.getEphemeralOwner() != 0) {
			this.session.requests()
				.read(this.keyNode, null,
						(readCode, content, read) -> this.steps.execute(() -> unnumbered(readCode, content, read)));
		}
		else {
			NodeQueue queue = NodeQueue.of(names);
			List<LockNodeName> looked = queue.needsCzxids() ? queue.names()
					: queue.names().subList(0, Math.min(this.limit, queue.names().size()));
			this.missing = looked.size();
			if (this.missing == 0) {
				this.result.complete(new LockQueue(this.key, List.of()));
			}
			for (LockNodeName name : looked) {
				this.session.requests()
					.read(this.keyNode + "/" + name.name(), null, (readCode, content, read) -> this.steps
						.execute(() -> contender(queue, name.name(), readCode, content, read)));
			}
		}
	}

	private void unnumbered(Code code, byte @Nullable [] content, @Nullable Stat stat) {
		if (stat == null && code != Code.NONODE) {
			fail(code);
			return;
		}
		List<Contender> holder = (stat != null) ? List.of(unnumbered(this.identity, this.keyNode, content, stat))
				: List.of();
		this.result.complete(new LockQueue(this.key, holder));
	}

	private void contender(NodeQueue queue, String name, Code code, byte @Nullable [] content, @Nullable Stat stat) {
		if (stat != null) {
			this.stats.put(name, stat);
			if (content != null) {
				this.contents.put(name, content);
			}
		}
		else if (code != Code.NONODE) {
			fail(code);
		}
		if (--this.missing == 0) {
			this.result.complete(
					new LockQueue(this.key, contenders(this.identity, this.keyNode, queue, this.stats, this.contents)));
		}
	}

	/**
	 * Describes who is at a key node's path itself.
	 * @param identity who we are
	 * @param keyNode the key node
	 * @param content the node's data
	 * @param stat the node's stat
	 * @return the holder
	 */
	static Contender unnumbered(ClientIdentity identity, String keyNode, byte @Nullable [] content, Stat stat) {
		return new Contender(keyNode, LockMode.EXCLUSIVE, true, identity.isOurs(ClientIdentity.idIn(content)),
				stat.getCzxid() * Grant.TOKENS, text(content));
	}

	/**
	 * Describes who is in a queue.
	 * @param identity who we are
	 * @param keyNode where the queue is
	 * @param queue the queue
	 * @param stats the stats of those that were read and were there
	 * @param contents their data
	 * @return those that were there, in their order
	 */
	static List<Contender> contenders(ClientIdentity identity, String keyNode, NodeQueue queue, Map<String, Stat> stats,
			Map<String, byte[]> contents) {
		Map<String, Long> czxids = new HashMap<>();
		stats.forEach((present, read) -> czxids.put(present, read.getCzxid()));
		boolean byCzxid = queue.needsCzxids();
		List<LockNodeName> ordered = byCzxid ? queue.byCzxid(czxids).names() : queue.names();
		List<Contender> contenders = new ArrayList<>(ordered.size());
		boolean onlyReaders = true;
		for (LockNodeName name : ordered) {
			Long czxid = czxids.get(name.name());
			if (czxid != null) {
				boolean holds = contenders.isEmpty() || (onlyReaders && name.mode().isShared());
				onlyReaders = onlyReaders && name.mode().isShared();
				byte[] content = contents.get(name.name());
				contenders.add(new Contender(keyNode + "/" + name.name(), name.mode(), holds,
						identity.isOurs(ClientIdentity.idIn(content)), czxid * Grant.TOKENS, text(content)));
			}
		}
		return contenders;
	}

	private static @Nullable String text(byte @Nullable [] content) {
		return (content != null) ? new String(content, StandardCharsets.UTF_8) : null;
	}

	private void failed(Throwable cause) {
		this.result.completeExceptionally(
				new LockException("The lock engine failed to read the queue of lock '" + this.key + "'", cause));
	}

	private void fail(Code code) {
		this.result.completeExceptionally(new LockUnavailableException(
				"Could not read the queue of lock '" + this.key + "'", KeeperException.create(code, this.keyNode)));
	}

}
