package io.github.zklock.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.contender.CzxidOrder;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/**
 * Looks at who joins the queue behind a holder: one list when it has changed, and one
 * read for each newcomer.
 */
final class NewcomerWatch implements ContentionSource.Observer, NodeWatch.Listener {

	/*-
	 * A look sets the watch, if there is none, and by that lists the queue. An event, or an answer
	 * that says nothing, takes the watch away, and the next look sets another one.
	 *
	 * I1: between two looks there is one list at most, and none while the queue stays as it was.
	 * I2: a node is reported once: `known` has it from the answer that described it until a list
	 *     shows that it is gone. One that could not be read is read again.
	 * I3: after `leave` there is no watch, and nothing is reported.
	 *
	 * All is confined to `steps`.
	 */

	/** Of more newcomers the others are described after the next look. */
	private static final int MOST_READ = 100;

	private final LockSession session;

	private final String keyNode;

	private final WaiterDescription description;

	private final OwnedSteps steps;

	private final Set<String> known = new HashSet<>();

	private LockMode held = LockMode.EXCLUSIVE;

	private Consumer<List<WaitingCaller>> found = (nobody) -> {
	};

	private @Nullable Registration watching;

	private boolean left;

	NewcomerWatch(LockSession session, String keyNode, WaiterDescription description) {
		this.session = session;
		this.keyNode = keyNode;
		this.description = description;
		this.steps = new SerialExecutor(session.failures()).of(this, (failure) -> stop());
	}

	@Override
	public void look(LockMode mode, Consumer<List<WaitingCaller>> newcomers) {
		step(() -> {
			this.held = mode;
			this.found = newcomers;
			if (this.watching == null) {
				this.watching = this.session.watches().watchChildren(this.keyNode, this);
			}
		});
	}

	@Override
	public void leave() {
		this.steps.execute(this::stop);
	}

	private void stop() {
		this.left = true;
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
			step(() -> listed(names));
			return;
		}
		this.session.requests().children(this.keyNode, null, (code, listed, read) -> step(() -> {
			if (listed != null) {
				listed(listed);
			}
			else {
				unwatch();
			}
		}));
	}

	private void listed(List<String> names) {
		CzxidOrder.of(NodeQueue.of(names), this.keyNode, this.session, this::step, (code, queue) -> {
			if (queue != null) {
				describe(waiting(queue));
			}
			else {
				unwatch();
			}
		});
	}

	private List<LockNodeName> waiting(NodeQueue queue) {
		int permits = queue.permitsHeld();
		if (permits > 0) {
			return queue.names().subList(permits, queue.names().size());
		}
		return queue.names().stream().filter((name) -> !name.mode().isShared() || !this.held.isShared()).toList();
	}

	private void describe(List<LockNodeName> waiting) {
		this.known.retainAll(waiting.stream().map(LockNodeName::name).toList());
		List<LockNodeName> newcomers = waiting.stream().filter((name) -> !this.known.contains(name.name())).toList();
		if (newcomers.size() > MOST_READ) {
			unwatch();
		}
		newcomers.stream()
			.limit(MOST_READ)
			.forEach((name) -> this.session.requests()
				.read(this.keyNode + "/" + name.name(), null,
						(code, content, stat) -> step(() -> read(name, code, content))));
	}

	private void read(LockNodeName name, Code code, byte @Nullable [] content) {
		if (code == Code.OK && this.known.add(name.name())) {
			WaitingCaller contention = this.description.of(name.mode(), content);
			if (contention != null) {
				this.found.accept(List.of(contention));
			}
		}
		else if (code != Code.OK && code != Code.NONODE) {
			unwatch();
		}
	}

	@Override
	public void notWatching(Code code) {
		step(this::unwatch);
	}

	@Override
	public void changed(EventType type) {
		step(this::unwatch);
	}

	private void step(Runnable step) {
		this.steps.execute(() -> {
			if (!this.left) {
				step.run();
			}
		});
	}

}
