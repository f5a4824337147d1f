package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.internal.session.ResultKind;

/**
 * Notifies a holder when another contender is queued behind it: watches the key node's
 * children until then. Where they may not be read others are taken to be there, and where
 * there is no key node, or the holder's node is not in it, there is none any more: what
 * this session has made its servers know. Steps run in the contender's serial executor.
 */
final class ContentionWatch implements NodeWatch.Listener {

	private final NodeFacts node;

	private final LockSession session;

	private final Executor steps;

	private final ClientCosts costs;

	private final Runnable nodeGone;

	private final GrowingPause pause = GrowingPause.afterLosses();

	private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

	private final List<CompletableFuture<Boolean>> asking = new ArrayList<>();

	private @Nullable Registration watching;

	private boolean seenAlone;

	private boolean stopped;

	/**
	 * Creates a watch that watches nothing yet.
	 * @param node the holder's node
	 * @param session where it is
	 * @param steps runs the contender's steps
	 * @param costs what writes cost other clients
	 * @param nodeGone called, in a step, when the node was found to be gone
	 */
	ContentionWatch(NodeFacts node, LockSession session, Executor steps, ClientCosts costs, Runnable nodeGone) {
		this.node = node;
		this.session = session;
		this.steps = steps;
		this.costs = costs;
		this.nodeGone = nodeGone;
	}

	void whenContended(CompletableFuture<Void> contended) {
		if (this.stopped) {
			return;
		}
		this.waiting.add(contended);
		if (this.watching == null) {
			watch();
		}
	}

	/**
	 * Looks, or says what the watch has shown; by the request that sets the watch, if
	 * that is under way.
	 * @param contended completes with whether another contender is queued behind
	 */
	void whetherContended(CompletableFuture<Boolean> contended) {
		if (this.stopped || this.seenAlone) {
			contended.complete(this.stopped);
			return;
		}
		this.asking.add(contended);
		if (this.watching == null) {
			watch();
		}
	}

	private void watch() {
		this.watching = this.session.watches().watchChildren(this.node.keyNode(), this);
	}

	/** The node is being deleted, or is gone. */
	void stop() {
		this.stopped = true;
		leave(Registration::leaveBeforeEvent);
	}

	private void unwatch() {
		leave(Registration::leave);
	}

	private void leave(Consumer<Registration> how) {
		this.seenAlone = false;
		Registration left = this.watching;
		if (left != null) {
			this.watching = null;
			how.accept(left);
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
				unseen(code);
			}
		}));
	}

	private void look(List<String> names) {
		NodeQueue queue = NodeQueue.of(names);
		if (queue.findById(this.node.id()).isEmpty()) {
			unseen(Code.NONODE);
			return;
		}
		this.node.saw(queue, null);
		Registration current = this.watching;
		CzxidOrder.of(queue, this.node.keyNode(), this.session, this::step, (code, ordered) -> {
			if (this.watching != current) {
				return; // The queue has changed since, and the next list answers
			}
			if (ordered != null) {
				judge(ordered);
			}
			else if (code == Code.NONODE) {
				again();
			}
			else {
				unseen(code);
			}
		});
	}

	private void judge(NodeQueue queue) {
		this.pause.reset();
		this.costs.seen(queue, this.node, this.session, this.steps);
		if (this.node.noteBehind(queue)) {
			contended();
		}
		else {
			this.seenAlone = this.watching != null;
			answer(false);
		}
	}

	private void contended() {
		List<CompletableFuture<Void>> all = List.copyOf(this.waiting);
		this.waiting.clear();
		// The node's own end is a change, too
		leave(Registration::leaveBeforeEvent);
		all.forEach((one) -> one.complete(null));
		answer(true);
	}

	private void answer(boolean contended) {
		List<CompletableFuture<Boolean>> asked = List.copyOf(this.asking);
		this.asking.clear();
		asked.forEach((one) -> one.complete(contended));
	}

	@Override
	public void notWatching(Code code) {
		step(() -> unseen(code));
	}

	private void unseen(Code code) {
		if (code == Code.NONODE) {
			unwatch();
			stop();
			this.nodeGone.run();
			answer(true);
		}
		else if (ResultKind.of(code) == ResultKind.REFUSED) {
			contended();
		}
		else {
			again();
		}
	}

	private void again() {
		unwatch();
		this.session.afterPause(this.pause, () -> this.session.afterCommit(() -> step(() -> {
			if (this.watching == null && isWanted()) {
				watch();
			}
		})));
	}

	private boolean isWanted() {
		return !this.waiting.isEmpty() || !this.asking.isEmpty();
	}

	@Override
	public void changed(EventType type) {
		step(() -> {
			unwatch();
			if (isWanted()) {
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
