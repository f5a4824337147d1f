package io.github.zklock.internal.contender;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * How long the servers take to answer a write of other clients, as their nodes say.
 */
final class ClientCosts {

	/*-
	 * Of a client it is known what a node of it said lately, also while another one is being read.
	 *
	 * Only a client asks whose writes may take longer than those of the others: one that is far from the servers, or whose
	 * writes are slow. Nodes behind its own are read: those before would usually have gone when the read comes there, but
	 * these stay until its tenure is over.
	 *
	 * I1: what was read is asked for again after LATELY_NANOS, or SILENT_NANOS if it said nothing, and what could not be
	 *     read by the next list; MOST_READ nodes are read for a list.
	 * I2: LatestUsed.CAPACITY clients are known at most; the one that was asked for least lately is forgotten first.
	 *
	 * All state is confined to the serial executor of its keys.
	 */

	static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Who says nothing may be new, and will when it has measured it. */
	static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Whose writes take longer has longer tenures than most. */
	static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** So many nodes before ours, and behind it, are looked at. */
	static final int MOST_SEEN = 8;

	static final int MOST_READ = 4;

	private final LongSupplier clock;

	private final Map<String, Cost> clients = new LatestUsed<>();

	/**
	 * Creates an empty memory.
	 * @param clock the monotonic clock
	 */
	ClientCosts(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * The queue of a node was listed: the node knows what the nodes of other clients that
	 * are near it there say, or will when those have been read that it asks for.
	 * @param queue the queue
	 * @param node the node
	 * @param session where it is
	 * @param steps runs the steps of its contender
	 */
	void seen(NodeQueue queue, NodeFacts node, LockSession session, Executor steps) {
		SessionRequests requests = session.requests();
		if (!requests.roundTrip().isLong() && requests.writeCost().saidNanos() < SLOW_NANOS) {
			return;
		}
		String own = ClientIdentity.clientIn(node.name());
		List<LockNodeName> names = queue.names();
		int ours = queue.indexOf(node.name());
		int reads = 0;
		for (int i = Math.max(0, ours - MOST_SEEN); ours >= 0
				&& i < Math.min(names.size(), ours + MOST_SEEN + 1); i++) {
			String client = ClientIdentity.clientIn(names.get(i).name());
			if (client == null || client.equals(own)) {
				continue;
			}
			@Nullable Cost known = this.clients.get(client);
			node.neighbours().said((known != null) ? known.nanos : Long.MAX_VALUE);
			if (i > ours && reads < MOST_READ && (known == null || !known.isOf(this.clock.getAsLong()))) {
				reads++;
				read(client, known, node.pathOf(names.get(i).name()), node.neighbours(), session, steps);
			}
		}
	}

	private void read(String client, @Nullable Cost known, String path, NodeNeighbours neighbours, LockSession session,
			Executor steps) {
		this.clients.put(client, new Cost((known != null) ? known.nanos : Long.MAX_VALUE, this.clock.getAsLong()));
		session.requests().read(path, null, (code, content, stat) -> steps.execute(() -> {
			if (code == Code.OK) {
				long nanos = NodeContent.writeNanos(content);
				this.clients.put(client, new Cost(nanos, this.clock.getAsLong()));
				neighbours.said(nanos);
			}
			else if (known != null) {
				this.clients.put(client, known);
			}
			else {
				this.clients.remove(client);
			}
		}));
	}

	/**
	 * What a client said.
	 *
	 * @param nanos how long a write takes; {@link Long#MAX_VALUE} if it did not say so
	 * @param at when, in nanoseconds of the clock
	 */
	private record Cost(long nanos, long at) {

		boolean isOf(long now) {
			return now - this.at < ((this.nanos == Long.MAX_VALUE) ? SILENT_NANOS : LATELY_NANOS);
		}

	}

}
