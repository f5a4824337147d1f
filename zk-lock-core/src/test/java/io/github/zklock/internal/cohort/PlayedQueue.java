package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The queue of one key at the servers, in which readers are first together, with nodes of
 * several strategies and of other clients.
 */
final class PlayedQueue {

	private static final Blocker SOMEBODY = new Blocker("key", "somebody", true, null);

	private final List<Node> queue = new ArrayList<>();

	private final List<Node> nodes = new ArrayList<>();

	private final PlayedEngine engine;

	private long zxid;

	PlayedQueue(PlayedEngine engine) {
		this.engine = engine;
	}

	LockStrategy strategy(boolean fair) {
		return new Strategy(fair);
	}

	// The servers: whoever may hold is granted
	void settle() {
		List.copyOf(this.queue).stream().filter((node) -> isFirst(node) && !node.isLeaving()).forEach(Node::grant);
		List.copyOf(this.queue)
			.stream()
			.filter((node) -> node.granted && node.isFollowed())
			.forEach((node) -> node.contended.complete(null));
	}

	void handle(int most) {
		this.engine.handle(most);
		this.nodes.forEach(Node::answer);
	}

	boolean isEmpty() {
		return this.queue.isEmpty();
	}

	List<Node> held() {
		return this.queue.stream().filter((node) -> node.granted && !node.isOthers() && !node.isLeaving()).toList();
	}

	// --- other clients ---

	void otherCame(LockMode mode) {
		this.queue.add(new Node(mode, null));
		settle();
	}

	long others() {
		return this.queue.stream().filter(Node::isOthers).count();
	}

	boolean isOthersFirst() {
		return !this.queue.isEmpty() && this.queue.get(0).isOthers();
	}

	void firstLeaves() {
		this.queue.remove(0);
		settle();
	}

	void othersLeave() {
		this.queue.removeIf(Node::isOthers);
		settle();
	}

	// Whether another client has what callers here may not have at the same time
	boolean isOthersBeside(boolean readers) {
		return this.queue.stream().anyMatch((node) -> node.isOthers() && isFirst(node) && !(readers && node.isRead()));
	}

	long longestWaitOfOthers() {
		return this.queue.stream()
			.filter(Node::isOthers)
			.mapToLong((node) -> this.engine.now() - node.since)
			.max()
			.orElse(0);
	}

	private boolean isFirst(Node node) {
		return this.queue.subList(0, this.queue.indexOf(node))
			.stream()
			.allMatch((before) -> node.isRead() && before.isRead());
	}

	/** A strategy whose nodes meet those of the others. */
	private final class Strategy implements LockStrategy {

		private final boolean fair;

		private Strategy(boolean fair) {
			this.fair = fair;
		}

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			Node node = new Node(attempt.mode(), listener);
			PlayedQueue.this.nodes.add(node);
			PlayedQueue.this.engine.request(() -> {
				PlayedQueue.this.queue.add(node);
				if (!isFirst(node) && attempt.tryOnce()) {
					listener.busy(SOMEBODY);
				}
				else if (!isFirst(node)) {
					listener.blocked(SOMEBODY);
				}
				settle();
			});
			return node;
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

		@Override
		public boolean isFair() {
			return this.fair;
		}

	}

	/** A node in the queue; without a listener, another client's. */
	final class Node extends PlayedNode {

		private final long since = PlayedQueue.this.engine.now();

		private final long created = ++PlayedQueue.this.zxid;

		private boolean reads;

		private Node(LockMode mode, ContenderListener listener) {
			super(mode, listener);
			this.reads = mode.isShared();
		}

		private boolean isOthers() {
			return this.listener == null;
		}

		private boolean isRead() {
			return this.reads;
		}

		@Override
		long number() {
			return this.created;
		}

		@Override
		boolean isFollowed() {
			List<Node> queue = PlayedQueue.this.queue;
			return queue.contains(this) && !queue.subList(queue.indexOf(this) + 1, queue.size())
				.stream()
				.allMatch((behind) -> this.reads && behind.reads);
		}

		@Override
		void delete() {
			PlayedQueue.this.engine.request(() -> {
				PlayedQueue.this.queue.remove(this);
				deleted();
				settle();
			});
		}

		@Override
		void deletedBySession() {
			PlayedQueue.this.queue.remove(this);
		}

		@Override
		void lose() {
			super.lose();
			settle();
		}

		@Override
		public CompletionStage<Boolean> downgrade() {
			CompletableFuture<Boolean> done = new CompletableFuture<>();
			PlayedQueue.this.engine.request(() -> {
				boolean there = PlayedQueue.this.queue.contains(this) && !isLeaving();
				this.reads |= there;
				done.complete(there);
				settle();
			});
			return done;
		}

	}

}
