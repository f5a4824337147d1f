package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockPaths;

/**
 * Reads queues on the inspector's connection, many at a time.
 *
 * @param zooKeeper the connection
 * @param identity who we are
 * @param unread gets the paths of the key nodes that may not be read, and so are left out
 */
record InspectorReads(ZooKeeper zooKeeper, ClientIdentity identity, Set<String> unread) {

	private static final int AT_ONCE = 200;

	private static final int SECONDS = 10;

	private static final int MOST_JOBS = 1000;

	/** What is not shown may be read all the same: names do not say when a job ran. */
	private static final int MOST_MARKS = 10_000;

	/** Of a longer queue the rest is not shown. */
	static final int LONGEST_QUEUE = 1000;

	/**
	 * Lists the key nodes.
	 * @param paths where they are
	 * @return their paths relative to the root, none if the root is missing
	 */
	List<String> keyNodes(LockPaths paths) {
		Listing listing = get(children(paths.root(), null), paths.root());
		List<String> found = new ArrayList<>((listing.names() != null) ? listing.names() : List.of());
		found.removeIf((name) -> !LockPaths.isKeyNode(name));
		List<String> level = paths.nested() ? List.copyOf(found) : List.of();
		while (!level.isEmpty()) {
			Map<String, Listing> listings = listings(paths, level);
			level = level.stream()
				.flatMap((name) -> listings.getOrDefault(name, Listing.NONE).below(name).stream())
				.toList();
			found.addAll(level);
		}
		return found;
	}

	private Map<String, Listing> listings(LockPaths paths, Collection<String> names) {
		Map<String, Listing> listings = all(names, (name) -> children(paths.root() + "/" + name, Listing.HIDDEN));
		listings.forEach((name, listing) -> {
			if (listing.isHidden() && paths.mayHaveKeys(name)) {
				this.unread.add(paths.root() + "/" + name);
			}
		});
		return listings;
	}

	/**
	 * Finds the key nodes of keys that are held or wanted. Servers remove the others
	 * after a while.
	 * @param paths where they are
	 * @param names their names
	 * @return the names of those that are, sorted
	 */
	List<String> takenKeyNodes(LockPaths paths, List<String> names) {
		Map<String, Listing> listings = listings(paths, names);
		return names.stream().filter((name) -> listings.getOrDefault(name, Listing.NONE).isTaken()).sorted().toList();
	}

	/**
	 * Reads queues.
	 * @param keys the key of each key node's path
	 * @return the queues, in the same order, also the empty ones; without those that may
	 * not be read
	 */
	List<LockQueue> queues(Map<String, String> keys) {
		Map<String, Listing> listings = all(keys.keySet(), (keyNode) -> children(keyNode, Listing.HIDDEN));
		List<LockQueue> queues = new ArrayList<>();
		keys.forEach((keyNode, key) -> {
			LockQueue queue = queue(key, keyNode, listings.getOrDefault(keyNode, Listing.NONE), LONGEST_QUEUE);
			if (queue != null) {
				queues.add(queue);
			}
			else {
				this.unread.add(keyNode);
			}
		});
		return queues;
	}

	/**
	 * Reads a queue.
	 * @param key the key
	 * @param keyNode the path of its key node
	 * @param most how many contenders at most, the first ones
	 * @return the queue, also an empty one
	 * @throws LockUnavailableException also if it may not be read
	 */
	LockQueue queue(String key, String keyNode, int most) {
		LockQueue queue = queue(key, keyNode, get(children(keyNode, Listing.HIDDEN), keyNode), most);
		if (queue == null) {
			throw refused((KeeperException.NoAuthException) KeeperException.create(Code.NOAUTH, keyNode));
		}
		return queue;
	}

	// Lists again if the holder has changed since the list, so that it is not known. A
	// node keeps its name, so what was read stays
	private @Nullable LockQueue queue(String key, String keyNode, Listing first, int most) {
		QueueDescription description = new QueueDescription(this.identity, key, keyNode);
		Map<String, Stat> stats = new HashMap<>();
		Map<String, byte[]> contents = new HashMap<>();
		Listing listing = first;
		NodeQueue queue = NodeQueue.of(List.of());
		for (int list = 1; list <= QueueDescription.MOST_LISTS; list++) {
			if (list > 1) {
				listing = get(children(keyNode, Listing.HIDDEN), keyNode);
			}
			if (listing.isHidden()) {
				return null;
			}
			Stat stat = listing.stat();
			if (stat == null) {
				return description.empty();
			}
			queue = NodeQueue.of((listing.names() != null) ? listing.names() : List.of());
			if (stat.getEphemeralOwner() != 0) {
				Node node = get(data(keyNode, null), keyNode);
				LockQueue found = description.unnumbered(node.content(), node.stat());
				if (found != null) {
					return found;
				}
			}
			else {
				// Who is first is only known of all of them then
				read(keyNode, queue, queue.needsCzxids() ? Integer.MAX_VALUE : most, stats, contents);
				if (queue.needsCzxids() && stats.values().stream().anyMatch((read) -> read.getCzxid() == 0)) {
					return null;
				}
				if (!QueueDescription.mayLackTheHolder(queue, stats)) {
					break;
				}
			}
		}
		List<LockQueue.Contender> contenders = description.numbered(queue, stats, contents).contenders();
		return new LockQueue(key, contenders.subList(0, Math.min(most, contenders.size())));
	}

	private void read(String keyNode, NodeQueue queue, int most, Map<String, Stat> stats,
			Map<String, byte[]> contents) {
		List<String> unread = queue.names()
			.stream()
			.map(LockNodeName::name)
			.limit(most)
			.filter((name) -> !stats.containsKey(name))
			.toList();
		all(unread, (name) -> data(keyNode + "/" + name, Node.HIDDEN)).forEach((name, node) -> {
			if (node.stat() != null) {
				stats.put(name, node.stat());
				if (node.content() != null) {
					contents.put(name, node.content());
				}
			}
		});
	}

	/**
	 * Reads the last runs of jobs.
	 * @param paths where their marks are
	 * @return the runs, the latest first, at most 1,000
	 */
	List<JobRun> jobs(LockPaths paths) {
		String marks = paths.jobs();
		// A mark's name does not say when its job ran
		return all(names(marks).stream().filter(paths::hasMark).limit(MOST_MARKS).toList(),
				(name) -> run(marks + "/" + name))
			.values()
			.stream()
			.flatMap(Optional::stream)
			.sorted(Comparator.comparing(JobRun::started).reversed())
			.limit(MOST_JOBS)
			.toList();
	}

	private CompletableFuture<Optional<JobRun>> run(String mark) {
		return data(mark, null).thenApply((node) -> Optional.ofNullable(OwnRun.parse(node.content())));
	}

	private static <T> Map<String, T> all(Collection<String> names, Function<String, CompletableFuture<T>> request) {
		Map<String, T> answers = new HashMap<>();
		List<String> left = List.copyOf(names);
		for (int from = 0; from < left.size(); from += AT_ONCE) {
			Map<String, CompletableFuture<T>> sent = new HashMap<>();
			left.subList(from, Math.min(from + AT_ONCE, left.size()))
				.forEach((name) -> sent.put(name, request.apply(name)));
			sent.forEach((name, answer) -> answers.put(name, get(answer, name)));
		}
		return answers;
	}

	List<HolderNote> askHolders(LockPaths paths, String key, String reason) {
		return new HolderAsks(this, paths, this.identity).ask(key, reason);
	}

	List<String> names(String path) {
		Listing listing = get(children(path, null), path);
		return (listing.names() != null) ? listing.names() : List.of();
	}

	Node node(String path) {
		return get(data(path, null), path);
	}

	// Without a czxid if the node may not be read
	@Nullable Stat contender(String path) {
		return get(data(path, Node.HIDDEN), path).stat();
	}

	/**
	 * Writes a node.
	 * @param path the node
	 * @param content what it is to say
	 * @param version the version that it has
	 * @return the answer: OK, NONODE or BADVERSION
	 */
	Code write(String path, byte[] content, int version) {
		CompletableFuture<Code> answer = new CompletableFuture<>();
		this.zooKeeper.setData(path, content, version,
				(rc, given, context, stat) -> complete(answer, known(rc), path, Code.NONODE, Code.BADVERSION), null);
		return get(answer, path);
	}

	/**
	 * Deletes a node.
	 * @param path the node
	 * @return whether it was deleted; not if it was gone, or has children and so is no
	 * lock node
	 */
	boolean delete(String path) {
		CompletableFuture<Code> answer = new CompletableFuture<>();
		this.zooKeeper.delete(path, -1,
				(rc, given, context) -> complete(answer, known(rc), path, Code.NONODE, Code.NOTEMPTY), null);
		return get(answer, path) == Code.OK;
	}

	/**
	 * Waits for a transaction that changes nothing: what is read from now on is not older
	 * than this call. One that is refused does the same, as it is answered in its order.
	 */
	void commit() {
		CompletableFuture<Code> answer = new CompletableFuture<>();
		this.zooKeeper.multi(List.of(Op.check("/", -1)),
				(rc, given, context, results) -> complete(answer, known(rc), "/", Code.NONODE, Code.NOAUTH), null);
		get(answer, "/");
	}

	private static void complete(CompletableFuture<Code> answer, Code code, String path, Code... expected) {
		if (code == Code.OK || List.of(expected).contains(code)) {
			answer.complete(code);
		}
		else {
			answer.completeExceptionally(KeeperException.create(code, path));
		}
	}

	private CompletableFuture<Listing> children(String path, @Nullable Listing hidden) {
		CompletableFuture<Listing> answer = new CompletableFuture<>();
		this.zooKeeper.getChildren(path, null, (rc, given, context, names, stat) -> settle(answer, rc, path,
				new Listing(names, stat), Listing.NONE, hidden), null);
		return answer;
	}

	private CompletableFuture<Node> data(String path, @Nullable Node hidden) {
		CompletableFuture<Node> answer = new CompletableFuture<>();
		this.zooKeeper.getData(path, false, (rc, given, context, content, stat) -> settle(answer, rc, path,
				new Node(NodeContent.kept(content), stat), Node.NONE, hidden), null);
		return answer;
	}

	private static <T> void settle(CompletableFuture<T> answer, int rc, String path, T value, T none,
			@Nullable T hidden) {
		Code code = known(rc);
		if (code == Code.OK) {
			answer.complete(value);
		}
		else if (code == Code.NONODE) {
			answer.complete(none);
		}
		else if (code == Code.NOAUTH && hidden != null) {
			answer.complete(hidden);
		}
		else {
			answer.completeExceptionally(KeeperException.create(code, path));
		}
	}

	private static Code known(int rc) {
		return Stream.of(Code.values()).filter((code) -> code.intValue() == rc).findFirst().orElse(Code.SYSTEMERROR);
	}

	/**
	 * Waits for an answer.
	 * @param <T> what it says
	 * @param answer the answer
	 * @param what what was asked about
	 * @return what it says
	 * @throws LockUnavailableException if it does not come, or says nothing
	 */
	static <T> T get(CompletableFuture<T> answer, String what) {
		try {
			return answer.get(SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof KeeperException.NoAuthException refused) {
				throw refused(refused);
			}
			throw new LockUnavailableException("ZooKeeper did not answer for " + what + ": " + ex.getCause()
					+ "; an answer that is larger than jute.maxbuffer ends the connection", ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new LockUnavailableException("ZooKeeper gave no answer for %s within %ds".formatted(what, SECONDS),
					ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted while waiting for an answer of ZooKeeper's", ex);
		}
	}

	private static LockUnavailableException refused(KeeperException.NoAuthException cause) {
		return new LockUnavailableException(
				"ZooKeeper refused the inspector at " + cause.getPath() + ": " + cause.getMessage(), cause);
	}

	private record Listing(@Nullable List<String> names, @Nullable Stat stat) {

		static final Listing NONE = new Listing(null, null);

		/** There is a node, which may not be read. */
		static final Listing HIDDEN = new Listing(null, new Stat());

		boolean isHidden() {
			return this.names == null && this.stat != null;
		}

		List<String> below(String parent) {
			return (this.names == null) ? List.of()
					: this.names.stream()
						.filter((name) -> LockNodeName.parse(name).isEmpty())
						.map((name) -> parent + "/" + name)
						.toList();
		}

		boolean isTaken() {
			return (this.stat != null && this.stat.getEphemeralOwner() != 0)
					|| (this.names != null && !NodeQueue.of(this.names).names().isEmpty());
		}

	}

	@SuppressWarnings("ArrayRecordComponent") // never compared
	record Node(byte @Nullable [] content, @Nullable Stat stat) {

		static final Node NONE = new Node(null, null);

		/** There is a node, which may not be read. */
		static final Node HIDDEN = new Node(null, new Stat());

	}

}
