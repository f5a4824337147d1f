package io.github.zklock.internal.contender;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;

/*
 * Of a client it is known what a node of it said lately, or it is being asked: a read of one of its nodes is under way.
 *
 * Only who is far from the servers asks: to the others a write costs as much as to anybody. Usually a node that is before
 * ours has gone when the read comes there, but those behind ours stay until our tenure is over.
 *
 * I1: of a client one node is read each LATELY_NANOS, or SILENT_NANOS, and MOST_READ nodes for each list of the queue.
 * I2: CAPACITY clients are known at most; the one that was asked for least lately is forgotten first.
 *
 * All state is confined to the serial executor of its keys.
 */
/**
 * How long the servers take to answer a write of other clients, as their nodes say.
 */
public final class ClientCosts {

	static final int CAPACITY = 64;

	static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Who says nothing may be new, and will when it has measured it. */
	static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** So many nodes of a queue are looked at. */
	static final int MOST_SEEN = 16;

	static final int MOST_READ = 4;

	private final LongSupplier clock;

	private final Map<String, Cost> clients = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Cost> eldest) {
			return size() > CAPACITY;
		}

	};

	/**
	 * Creates an empty memory.
	 * @param clock the monotonic clock
	 */
	public ClientCosts(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * The queue of a node was listed: the node knows what the first of the other clients
	 * there say from then on, or once that was read.
	 * @param queue the queue
	 * @param node the node
	 * @param session where it is
	 * @param steps runs the steps of its contender
	 */
	void seen(NodeQueue queue, NodeFacts node, LockSession session, Executor steps) {
		if (!session.requests().roundTrip().isLong()) {
			return;
		}
		String own = ClientIdentity.clientIn(node.name());
		List<LockNodeName> names = queue.names();
		int reads = 0;
		for (LockNodeName name : names.subList(0, Math.min(MOST_SEEN, names.size()))) {
			String client = ClientIdentity.clientIn(name.name());
			if (client == null || client.equals(own)) {
				continue;
			}
			@Nullable Cost known = this.clients.get(client);
			if (known != null && known.isOf(this.clock.getAsLong())) {
				node.neighbours().said(known.nanos);
			}
			else if (reads++ < MOST_READ) {
				read(client, node.pathOf(name.name()), node.neighbours(), session, steps);
			}
		}
	}

	private void read(String client, String path, NodeNeighbours neighbours, LockSession session, Executor steps) {
		this.clients.put(client, new Cost(Long.MAX_VALUE, this.clock.getAsLong()));
		session.requests().read(path, null, (code, content, stat) -> steps.execute(() -> {
			if (code != Code.OK) {
				this.clients.remove(client);
				return;
			}
			long nanos = ClientIdentity.writeNanos(content);
			this.clients.put(client, new Cost(nanos, this.clock.getAsLong()));
			neighbours.said(nanos);
		}));
	}

	/**
	 * What a client said.
	 *
	 * @param nanos how long a write takes; {@link Long#MAX_VALUE} if it did not say so,
	 * or is being asked
	 * @param at when, in nanoseconds of the clock
	 */
	private record Cost(long nanos, long at) {

		boolean isOf(long now) {
			return now - this.at < ((this.nanos == Long.MAX_VALUE) ? SILENT_NANOS : LATELY_NANOS);
		}

	}

}
