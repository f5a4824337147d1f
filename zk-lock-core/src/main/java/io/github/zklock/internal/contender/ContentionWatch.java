package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/**
 * Tells a holder when somebody else stands in line behind it: watches the line's children
 * until somebody does. Steps run in the contest's mailbox.
 */
final class ContentionWatch implements NodeWatch.Listener {

	private final NodeFacts node;

	private final LockSession session;

	private final Executor steps;

	private final List<CompletableFuture<Void>> told = new ArrayList<>();

	private @Nullable Registration watching;

	private boolean stopped;

	ContentionWatch(NodeFacts node, LockSession session, Executor steps) {
		this.node = node;
		this.session = session;
		this.steps = steps;
	}

	void tell(CompletableFuture<Void> contended) {
		this.told.add(contended);
		if (this.watching == null) {
			watch();
		}
	}

	private void watch() {
		this.watching = this.session.watches().watchChildren(this.node.place(), this);
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
		this.session.requests().children(this.node.place(), null, (code, listed, read) -> step(() -> {
			if (listed != null) {
				look(listed);
			}
			else {
				again();
			}
		}));
	}

	private void look(List<String> names) {
		Line line = Line.of(names);
		this.node.saw(line);
		CzxidOrder.of(line, this.node.place(), this.session, this::step, (code, ordered) -> {
			if (ordered != null) {
				judge(ordered);
			}
			else {
				again();
			}
		});
	}

	private void judge(Line line) {
		if (line.isContended(this.node.name(), this.node.mode())) {
			List<CompletableFuture<Void>> all = List.copyOf(this.told);
			this.told.clear();
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
		this.session.afterSync(() -> step(() -> {
			if (this.watching == null && !this.told.isEmpty()) {
				watch();
			}
		}));
	}

	@Override
	public void changed(EventType type) {
		step(() -> {
			unwatch();
			if (!this.told.isEmpty()) {
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
