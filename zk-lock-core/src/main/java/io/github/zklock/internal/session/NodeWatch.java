package io.github.zklock.internal.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.internal.session.NodeWatches.Target;

/**
 * One watch on one node, shared by all local contenders that wait for it.
 */
public final class NodeWatch implements Watcher {

	/*-
	 * NEW -> ARMING (read with the watch sent) -> ARMED (answered) -> OVER; ARMING -> OVER;
	 * NEW -> OVER. OVER is final: an event came, the read failed, the last listener left, or
	 * the only one had left before it joined.
	 *
	 * I1: a listener that joined is notified of every change after its `watching` call: it is in
	 *     the set before the event can be handled, because joining, answers and events are steps of
	 *     one serial executor.
	 * I2: when the last listener leaves, `removeAllWatches` is sent in the same step that ends
	 *     this watch, and only then does the map let go of it. So a successor's read, which
	 *     sets the next watch, is sent after it and is not stripped. (`removeWatches` for one
	 *     watcher leaves the server's watch in place.) If the last one knows that an event comes,
	 *     this watch stays until then, and who joins meanwhile shares it.
	 * I3: the server's watch ends with this object: by its event, by the removal, or because
	 *     the read that should have set it did not succeed. A read of a missing node sets none;
	 *     `exists` would.
	 * I4: what is OVER is not in the map.
	 * I5: a step that fails ends this watch. All who have joined, and who was about to, are
	 *     notified that there is none, and look again; the server's watch is stripped.
	 * I6: an answer, or an event, that cannot be handled ends this watch in the same way.
	 * A listener's own step may run inside ours; it never waits for us.
	 */

	private enum State {

		NEW, ARMING, ARMED, OVER

	}

	private final OwnedSteps steps;

	private final Set<Registration> listeners = new LinkedHashSet<>();

	private final NodeWatches watches;

	private final Target target;

	private final Runnable failing = this::bringFailure;

	private State state = State.NEW;

	private byte @Nullable [] content;

	private @Nullable Stat stat;

	public NodeWatch(NodeWatches watches, Target target) {
		this.watches = watches;
		this.target = target;
		this.steps = new SerialExecutor(watches.failures()).of(this, (failure) -> failed());
	}

	public void join(Registration listener) {
		this.steps.orElse((failure) -> {
			this.listeners.add(listener);
			failed();
		}).execute(() -> {
			if (listener.hasLeft()) {
				forgetIfNew();
			}
			else if (this.state == State.OVER) {
				this.watches.join(listener);
			}
			else {
				joined(listener);
			}
		});
	}

	private void joined(Registration listener) {
		this.listeners.add(listener);
		if (this.state == State.NEW) {
			this.state = State.ARMING;
			arm();
		}
		else if (this.state == State.ARMED) {
			listener.listener().watching(this.content, this.stat, null);
		}
	}

	// Made for one who has left meanwhile. Others that found it make another one.
	private void forgetIfNew() {
		if (this.state == State.NEW) {
			this.state = State.OVER;
			this.watches.forget(this.target, this);
		}
	}

	public void leave(Registration listener, boolean eventComes) {
		this.steps.execute(() -> {
			if (this.listeners.remove(listener) && this.listeners.isEmpty() && !eventComes) {
				this.state = State.OVER;
				this.watches.requests().removeWatches(this.target.path(), this.target.type());
				this.watches.forget(this.target, this);
			}
		});
	}

	private void arm() {
		if (this.target.type() == WatcherType.Children) {
			this.watches.requests()
				.children(this.target.path(), this,
						(code, names, read) -> this.steps.execute(() -> armed(code, null, read, names)));
		}
		else {
			this.watches.requests().read(this.target.path(), this, (code, bytes, read) -> {
				byte[] kept = NodeContent.kept(bytes);
				this.steps.execute(() -> armed(code, kept, read, null));
			});
		}
	}

	private void armed(Code code, byte @Nullable [] bytes, @Nullable Stat read, @Nullable List<String> names) {
		if (this.state != State.ARMING) {
			return;
		}
		if (code == Code.OK) {
			this.state = State.ARMED;
			this.content = bytes;
			this.stat = read;
			List.copyOf(this.listeners).forEach((listener) -> listener.listener().watching(bytes, read, names));
		}
		else if (code == Code.SYSTEMERROR) {
			failed();
		}
		else {
			over().forEach((listener) -> listener.listener().notWatching(code));
		}
	}

	@Override
	public void process(WatchedEvent event) {
		try {
			handle(event);
		}
		catch (Throwable ex) {
			this.watches.requests().unhandled(ex, this.failing);
		}
	}

	private void handle(WatchedEvent event) {
		if (event.getType() != Event.EventType.None) {
			this.watches.countEvent();
			this.steps.execute(() -> over().forEach((listener) -> listener.listener().changed(event.getType())));
		}
		else if (event.getState() == Event.KeeperState.Expired || event.getState() == Event.KeeperState.Closed) {
			this.watches.sessionEnded();
		}
		else if (event.getState() == Event.KeeperState.Disconnected) {
			this.watches.connectionLost();
		}
	}

	private void bringFailure() {
		this.steps.execute(() -> {
			if (this.state != State.OVER) {
				failed();
			}
		});
	}

	private void failed() {
		StepFailures failures = this.watches.failures();
		List<Registration> notified = over();
		failures.contain(this, () -> this.watches.requests().removeWatches(this.target.path(), this.target.type()));
		notified.forEach((listener) -> failures.contain(this, () -> listener.listener().notWatching(Code.SYSTEMERROR)));
	}

	private List<Registration> over() {
		List<Registration> notified = List.copyOf(this.listeners);
		this.listeners.clear();
		this.state = State.OVER;
		this.watches.forget(this.target, this);
		return notified;
	}

	/**
	 * Is notified of what becomes of a watch, in steps of the watch's serial executor.
	 * After {@link #notWatching} or {@link #changed} it is not called any more.
	 */
	public interface Listener {

		/**
		 * The watch is set.
		 * @param content the node's data when it was set, without long ones
		 * ({@link NodeContent#kept}); null for a watch on children
		 * @param stat the node's stat when it was set
		 * @param names the children when it was set; null for a watch on a node, and for
		 * those who joined a watch that was already set
		 */
		void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names);

		/**
		 * The watch could not be set.
		 * @param code why: NONODE, or an answer that was lost or refused
		 */
		void notWatching(Code code);

		/**
		 * Something happened: look again.
		 * @param type what
		 */
		void changed(Watcher.Event.EventType type);

	}

}
