package io.github.zklock.zookeeper;

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
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

/**
 * Reads a key's queue for people: one list and one read for each contender.
 */
final class QueueReader {

	/*-
	 * Answers come on ZooKeeper's event thread and become steps of one serial executor: the
	 * list's, the one about a node at the key node's path, or, by `AllAnswers`, those of all
	 * contenders together. Each step asks for the next, or completes `result`. If the holder has
	 * changed since the list, so that it is not known, the queue is listed again; a node keeps
	 * its name, so what was read stays.
	 */

	static final int ALL = Integer.MAX_VALUE;

	/** Enough for a writer, or for some readers. */
	static final int FRONT = 5;

	private final OwnedSteps steps;

	private final CompletableFuture<LockQueue> result = new CompletableFuture<>();

	private final LockSession session;

	private final QueueDescription description;

	private final int limit;

	private final Map<String, Stat> stats = new HashMap<>();

	private final Map<String, byte[]> contents = new HashMap<>();

	private int lists;

	private QueueReader(LockSession session, QueueDescription description, int limit) {
		this.steps = new SerialExecutor(session.failures()).of(this, this::failed);
		this.session = session;
		this.description = description;
		this.limit = limit;
	}

	static CompletableFuture<LockQueue> read(SessionSource source, String key, int limit) {
		LockSession session = source.current();
		if (session == null) {
			return CompletableFuture.failedFuture(new LockUnavailableException(
					"Could not read the queue of lock '" + key + "': no ZooKeeper session"));
		}
		String keyNode = source.paths().keyNode(key);
		QueueDescription description = new QueueDescription(source.identity(), key, keyNode);
		QueueReader reader = new QueueReader(session, description, limit);
		reader.steps.execute(reader::list);
		return reader.result.thenApplyAsync(Function.identity());
	}

	private void list() {
		this.lists++;
		this.session.requests()
			.children(this.description.keyNode(), null,
					(code, names, stat) -> this.steps.execute(() -> listed(code, names, stat)));
	}

	private void listed(Code code, @Nullable List<String> names, @Nullable Stat stat) {
		if (names == null || stat == null) {
			if (code == Code.NONODE) {
				this.result.complete(this.description.empty());
			}
			else {
				fail(code);
			}
		}
		else if (stat.getEphemeralOwner() != 0) {
			this.session.requests().read(this.description.keyNode(), null, (readCode, content, read) -> {
				byte[] kept = NodeContent.kept(content);
				this.steps.execute(() -> unnumbered(readCode, kept, read));
			});
		}
		else {
			NodeQueue queue = NodeQueue.of(names);
			List<LockNodeName> looked = queue.needsCzxids() ? queue.names()
					: queue.names().subList(0, Math.min(this.limit, queue.names().size()));
			read(queue, looked.stream().filter((name) -> !this.stats.containsKey(name.name())).toList());
		}
	}

	private void unnumbered(Code code, byte @Nullable [] content, @Nullable Stat stat) {
		if (stat == null && code != Code.NONODE) {
			fail(code);
			return;
		}
		LockQueue found = this.description.unnumbered(content, stat);
		if (found == null && this.lists < QueueDescription.MOST_LISTS) {
			list();
		}
		else {
			this.result.complete((found != null) ? found : this.description.empty());
		}
	}

	private void read(NodeQueue queue, List<LockNodeName> unread) {
		if (unread.isEmpty()) {
			numbered(Code.OK, queue);
			return;
		}
		AllAnswers all = new AllAnswers(this.session.failures(), unread.size(),
				(code) -> this.steps.execute(() -> numbered(code, queue)));
		for (LockNodeName name : unread) {
			this.session.requests()
				.read(this.description.keyNode() + "/" + name.name(), null, (code, content, stat) -> {
					byte[] kept = NodeContent.kept(content);
					all.answered((code == Code.NONODE) ? Code.OK : code, () -> {
						if (stat != null) {
							this.stats.put(name.name(), stat);
						}
						if (kept != null) {
							this.contents.put(name.name(), kept);
						}
					});
				});
		}
	}

	private void numbered(Code code, NodeQueue queue) {
		if (code != Code.OK) {
			fail(code);
		}
		else if (this.lists < QueueDescription.MOST_LISTS && QueueDescription.mayLackTheHolder(queue, this.stats)) {
			list();
		}
		else {
			this.result.complete(this.description.numbered(queue, this.stats, this.contents));
		}
	}

	private void failed(Throwable cause) {
		this.result.completeExceptionally(new LockException(
				"The lock engine failed to read the queue of lock '" + this.description.key() + "'", cause));
	}

	private void fail(Code code) {
		this.result.completeExceptionally(
				new LockUnavailableException("Could not read the queue of lock '" + this.description.key() + "'",
						KeeperException.create(code, this.description.keyNode())));
	}

}
