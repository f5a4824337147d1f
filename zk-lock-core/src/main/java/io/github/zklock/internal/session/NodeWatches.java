package io.github.zklock.internal.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.Watcher.WatcherType;

import io.github.zklock.internal.concurrent.StepFailures;

/**
 * The watches of one session: one for each watched node, shared by all who wait for it.
 */
public final class NodeWatches {

	private final Map<Target, NodeWatch> watches = new ConcurrentHashMap<>();

	private final SessionRequests requests;

	private final SessionCounters counters;

	private final StepFailures failures;

	private final Runnable sessionEnded;

	private final Runnable connectionLost;

	/**
	 * Creates the watches of a session, none at first.
	 * @param requests those of the session
	 * @param counters counts the events
	 * @param failures is notified of each step that fails
	 * @param sessionEnded called when an event says that the session is over
	 * @param connectionLost called when an event says that the connection was lost, on
	 * ZooKeeper's event thread
	 */
	public NodeWatches(SessionRequests requests, SessionCounters counters, StepFailures failures, Runnable sessionEnded,
			Runnable connectionLost) {
		this.requests = requests;
		this.counters = counters;
		this.failures = failures;
		this.sessionEnded = sessionEnded;
		this.connectionLost = connectionLost;
	}

	public SessionRequests requests() {
		return this.requests;
	}

	StepFailures failures() {
		return this.failures;
	}

	/** There was an event. */
	public void countEvent() {
		this.counters.watchEvents().increment();
	}

	/** An event says that the session is over. */
	public void sessionEnded() {
		this.sessionEnded.run();
	}

	/**
	 * An event says that the connection was lost. Each watch has it, on the event thread:
	 * a Curator with a namespace reports it later, on another one.
	 */
	void connectionLost() {
		this.connectionLost.run();
	}

	/**
	 * Waits for a node to change or to go.
	 * @param path the node
	 * @param listener is notified of it
	 * @return leaves the watch
	 */
	public Registration watchNode(String path, NodeWatch.Listener listener) {
		return join(new Registration(this, new Target(path, WatcherType.Data), listener));
	}

	/**
	 * Waits for a node's children to change.
	 * @param path the node
	 * @param listener is notified of it
	 * @return leaves the watch
	 */
	public Registration watchChildren(String path, NodeWatch.Listener listener) {
		return join(new Registration(this, new Target(path, WatcherType.Children), listener));
	}

	public Registration join(Registration registration) {
		this.watches.computeIfAbsent(registration.target, (key) -> new NodeWatch(this, key)).join(registration);
		return registration;
	}

	public void forget(Target target, NodeWatch watch) {
		this.watches.remove(target, watch);
	}

	public int count() {
		return this.watches.size();
	}

	/**
	 * One listener's interest in one target. After {@link #leave} it may still be
	 * notified of what is under way.
	 */
	public static final class Registration {

		/*-
		 * I1: after `leave` a listener is in no watch: a join step that runs later sees
		 *     `left`, one that ran before it did so in a watch that is in the map, or is over.
		 */

		private final NodeWatches watches;

		private final Target target;

		private final NodeWatch.Listener listener;

		private volatile boolean left;

		private Registration(NodeWatches watches, Target target, NodeWatch.Listener listener) {
			this.watches = watches;
			this.target = target;
			this.listener = listener;
		}

		public NodeWatch.Listener listener() {
			return this.listener;
		}

		public boolean hasLeft() {
			return this.left;
		}

		public void leave() {
			leave(false);
		}

		/**
		 * Leaves a watch whose event is about to come, because this session is changing
		 * what is watched: nothing is asked of the servers for it.
		 */
		public void leaveBeforeEvent() {
			leave(true);
		}

		private void leave(boolean eventComes) {
			this.left = true;
			NodeWatch watch = this.watches.watches.get(this.target);
			if (watch != null) {
				watch.leave(this, eventComes);
			}
		}

	}

	/**
	 * What is watched.
	 *
	 * @param path the node
	 * @param type its data and being, or its children
	 */
	public record Target(String path, WatcherType type) {
	}

}
