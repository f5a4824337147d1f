package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/**
 * Notifies a holder when another contender is queued behind it: watches the key node's
 * children until then. Steps run in the contender's serial executor.
 */
final class ContentionWatch implements NodeWatch.Listener {

	private final NodeFacts node;

	private final LockSession session;

	private final Executor steps;

	private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

	private @Nullable Registration watching;

	private boolean stopped;

	ContentionWatch(NodeFacts node, LockSession session, Executor steps) {
		this.node = node;
		this.session = session;
		this.steps = steps;
	}

	void notify(CompletableFuture<Void> contended) {
		this.waiting.add(contended);
		if (this.watching == null) {
			watch();
		}
	}

	private void watch() {
		this.watching = this.session.watches().watchChildren(this.node.keyNode(), this);
	}

	void stop() {
		this.stopped = true;
		unwatch();
	}

	private void unwatch() {
		if (this.watching != null) {
			this.watching.leave();
			this.watching = null;
		}
	}

	@Override
	public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
		if (names != null) {
			step(() -> look(names));
			return;
		}
		this.session.requests().children(this.node.keyNode(), null, (code, listed, read) -> step(() -> {
			if (listed != null) {
				look(listed);
			}
			else {
				again();
			}
		}));
	}

	private void look(List<String> names) {
		NodeQueue queue = NodeQueue.of(names);
		this.node.saw(queue);
		CzxidOrder.of(queue, this.node.keyNode(), this.session, this::step, (code, ordered) -> {
			if (ordered != null) {
				judge(ordered);
			}
			else {
				again();
			}
		});
	}

	private void judge(NodeQueue queue) {
		if (queue.isContended(this.node.name(), this.node.mode())) {
			List<CompletableFuture<Void>> all = List.copyOf(this.waiting);
			this.waiting.clear();
			unwatch();
			all.forEach((contended) -> contended.complete(null));
		}
	}

	@Override
	public void notWatching(Code code) {
		step(this::again);
	}

	private void again() {
		unwatch();
		this.session.afterCommit(() -> step(() -> {
			if (this.watching == null && !this.waiting.isEmpty()) {
				watch();
			}
		}));
	}

	@Override
	public void changed(EventType type) {
		step(() -> {
			unwatch();
			if (!this.waiting.isEmpty()) {
				watch();
			}
		});
	}

	private void step(Runnable step) {
		this.steps.execute(() -> {
			if (!this.stopped) {
				step.run();
			}
		});
	}

}
