package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.spi.Grant;

/**
 * Describes for people what was read of a key's queue.
 *
 * @param identity who we are
 * @param key the key
 * @param keyNode its key node
 */
record QueueDescription(ClientIdentity identity, String key, String keyNode) {

	/** So often a queue is listed of which it is not known who holds. */
	static final int MOST_LISTS = 5;

	/**
	 * Describes a key that nobody holds or waits for.
	 * @return the queue
	 */
	LockQueue empty() {
		return new LockQueue(this.key, List.of());
	}

	/**
	 * Describes who is at the key node's path itself.
	 * @param content the node's data
	 * @param stat the node's stat, or null if it is gone
	 * @return the queue: the holder alone, if there is one; null if there is a key node
	 * by now, whose queue is to be listed
	 */
	@Nullable LockQueue unnumbered(byte @Nullable [] content, @Nullable Stat stat) {
		if (stat == null) {
			return empty();
		}
		if (stat.getEphemeralOwner() == 0) {
			return null;
		}
		return new LockQueue(this.key, List.of(contender(this.keyNode, LockMode.EXCLUSIVE, 0, true, content, stat)));
	}

	/**
	 * Returns whether a holder may be missing: the first one wanted WRITE when the queue
	 * was listed, and was gone when it was read. A downgrade gives it another name at the
	 * same position.
	 * @param queue the queue
	 * @param stats the stats of those that were read and were there
	 * @return whether only another list shows who holds
	 */
	static boolean mayLackTheHolder(NodeQueue queue, Map<String, Stat> stats) {
		for (LockNodeName name : queue.names()) {
			boolean present = stats.containsKey(name.name());
			if (!present && name.mode() == LockMode.WRITE) {
				return true;
			}
			if (present && !name.isNearOverflow()) {
				return false;
			}
		}
		return false;
	}

	/**
	 * Describes who is in the queue.
	 * @param queue the queue
	 * @param stats the stats of those that were read and were there
	 * @param contents their data
	 * @return those that were there, in their order; none of them as a holder if that one
	 * may be missing
	 */
	LockQueue numbered(NodeQueue queue, Map<String, Stat> stats, Map<String, byte[]> contents) {
		List<Contender> contenders = new ArrayList<>(stats.size());
		boolean known = !mayLackTheHolder(queue, stats);
		boolean onlyReaders = true;
		NodeQueue present = ordered(present(queue, stats), stats);
		int permitsHeld = present.permitsHeld();
		int together = isReadInsideOfWrite(present.names()) ? 2 : 1;
		for (LockNodeName name : present.names()) {
			boolean holds = known
					&& (contenders.size() < Math.max(together, permitsHeld) || (onlyReaders && name.mode().isShared()));
			onlyReaders = onlyReaders && name.mode().isShared();
			contenders.add(contender(this.keyNode + "/" + name.name(), name.mode(), name.permits(), holds,
					contents.get(name.name()), Objects.requireNonNull(stats.get(name.name()))));
		}
		return new LockQueue(this.key, contenders);
	}

	// Curator gives that READ the number of the WRITE. Near the end of the numbers others
	// have it too
	private static boolean isReadInsideOfWrite(List<LockNodeName> names) {
		if (names.size() < 2 || names.get(0).isNearOverflow() || names.get(0).sequence() != names.get(1).sequence()) {
			return false;
		}
		Set<LockMode> modes = EnumSet.of(names.get(0).mode(), names.get(1).mode());
		return modes.equals(EnumSet.of(LockMode.READ, LockMode.WRITE));
	}

	// How many permits are held depends on those who are there
	private static NodeQueue present(NodeQueue queue, Map<String, Stat> stats) {
		return NodeQueue.of(queue.names().stream().map(LockNodeName::name).filter(stats::containsKey).toList());
	}

	private static NodeQueue ordered(NodeQueue queue, Map<String, Stat> stats) {
		if (!queue.needsCzxids()) {
			return queue;
		}
		Map<String, Long> czxids = new HashMap<>();
		stats.forEach((name, stat) -> czxids.put(name, stat.getCzxid()));
		return queue.byCzxid(czxids);
	}

	private Contender contender(String path, LockMode mode, int permits, boolean holds, byte @Nullable [] content,
			Stat stat) {
		return new Contender(path, mode, holds, this.identity.isOurs(NodeContent.idIn(content)),
				stat.getCzxid() * Grant.TOKENS, NodeContent.text(content), permits);
	}

}
