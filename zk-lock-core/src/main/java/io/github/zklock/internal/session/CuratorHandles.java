package io.github.zklock.internal.session;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The ZooKeeper handles of a {@link CuratorFramework}, and what it reports of them.
 */
final class CuratorHandles {

	/*-
	 * Curator makes a ZooKeeper handle for each session, and makes a new one when a session has
	 * expired. It reports on its own threads that a connection was made or lost; it may drop
	 * reports when its queue is full, so those that wait for a session also ask. It keeps a handle
	 * whose credentials a server has refused, although that one is dead for good.
	 *
	 * What is read from other threads is one volatile or atomic each, written by the thread
	 * that gets the report. What concerns renewals is used by one thread alone, that of the
	 * search. I4 and I5 of `SessionSource` are kept here.
	 *
	 * I1: a handle is renewed only if its own credentials were refused: others that share Curator may
	 *     have renewed the one that was seen, and may hold locks in the session of its successor.
	 * Source: Curator tech notes on session and connection states.
	 */

	private static final Logger log = LoggerFactory.getLogger(CuratorHandles.class);

	private static final String FORGETS_WATCHES = "No lock can be acquired from a ZooKeeper client with "
			+ ZKClientConfig.DISABLE_AUTO_WATCH_RESET
			+ "=true: it forgets watches when it reconnects, so that waiters would never wake";

	private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** For how long a refusal explains that there is no session. */
	private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(3);

	private final CuratorFramework curator;

	private final LongSupplier clock;

	private final Host host;

	private final ConnectionStateListener connectionListener = this::stateChanged;

	private final CuratorListener eventListener = (client, event) -> eventReceived(event);

	private final AtomicReference<@Nullable Look> lastLook = new AtomicReference<>();

	/** From a renewal until the credentials of a later handle are accepted. */
	private final AtomicBoolean refused = new AtomicBoolean();

	private boolean receivesEvents;

	private volatile @Nullable ConnectionState connectionState;

	private volatile String servers;

	private volatile Taken taken = new Taken(null, -1);

	private long nextRenewal;

	private long refusedUntil;

	private long refusedNumber = -1;

	CuratorHandles(CuratorFramework curator, LongSupplier clock, Host host) {
		this.curator = curator;
		this.clock = clock;
		this.host = host;
		this.servers = curator.getZookeeperClient().getCurrentConnectionString();
		this.nextRenewal = clock.getAsLong();
		this.refusedUntil = this.nextRenewal;
	}

	/** Reports from now on. */
	void listen() {
		try {
			this.curator.getCuratorListenable().addListener(this.eventListener);
			this.receivesEvents = true;
		}
		catch (UnsupportedOperationException ex) {
			log.debug("A client with a namespace reports events only later, as changes of its state", ex);
		}
		this.curator.getConnectionStateListenable().addListener(this.connectionListener);
	}

	/** Reports nothing more. */
	void stopListening() {
		this.curator.getConnectionStateListenable().removeListener(this.connectionListener);
		if (this.receivesEvents) {
			this.curator.getCuratorListenable().removeListener(this.eventListener);
		}
	}

	// On ZooKeeper's event thread, and so between the last answer of one connection and
	// the first of the next; or on the thread that closes Curator
	private void eventReceived(CuratorEvent event) {
		WatchedEvent watched = event.getWatchedEvent();
		if (event.getType() == CuratorEventType.CLOSING) {
			this.host.connectionClosing();
		}
		else if (watched != null && watched.getState() == Watcher.Event.KeeperState.Disconnected) {
			this.host.connectionLost(() -> false);
		}
	}

	private void stateChanged(CuratorFramework client, ConnectionState state) {
		log.debug("Connection state {}", state);
		this.connectionState = state;
		this.servers = client.getZookeeperClient().getCurrentConnectionString();
		if (state == ConnectionState.SUSPENDED && !this.receivesEvents) {
			this.host.connectionLost(client.getZookeeperClient()::isConnected);
		}
		this.host.connectionChanged(state);
	}

	String servers() {
		return this.servers;
	}

	/**
	 * Returns whether Curator has given up the session that it had.
	 * @return true after LOST, until it is connected again
	 */
	boolean isLost() {
		return this.connectionState == ConnectionState.LOST;
	}

	/**
	 * Takes the handle, if Curator is connected.
	 * @param taker gets the handle, also one that it has got before; and a moment, in
	 * nanoseconds of the clock, at which the handle was not made yet, or null if none is
	 * known
	 */
	void take(BiConsumer<ZooKeeper, @Nullable Long> taker) {
		long lookedAt = this.clock.getAsLong();
		long number = number();
		Look look = this.lastLook.updateAndGet((last) -> Look.next(last, number, lookedAt));
		if (!isStarted() || !this.curator.getZookeeperClient().isConnected()) {
			return;
		}
		try {
			ZooKeeper handle = this.curator.getZookeeperClient().getZooKeeper();
			if (handle.getClientConfig().getBoolean(ZKClientConfig.DISABLE_AUTO_WATCH_RESET)) {
				this.host.unusable(FORGETS_WATCHES);
			}
			else if (number == number()) {
				taken(handle, number);
				taker.accept(handle, look.madeAfter());
				if (this.refused.get()) {
					reportAcceptance(handle);
				}
			}
		}
		catch (Exception ex) {
			log.debug("No ZooKeeper handle yet", ex);
		}
	}

	// A handle is connected before its credentials are refused, but answers no request
	// then
	private void reportAcceptance(ZooKeeper handle) {
		handle.sync("/", (code, path, context) -> {
			if (code == Code.OK.intValue() && this.refused.compareAndSet(true, false)) {
				log.info("The ZooKeeper servers accept the credentials of this client again");
			}
		}, null);
	}

	// A handle that is being closed is Curator's for a moment, under the next number
	private synchronized void taken(ZooKeeper handle, long number) {
		if (number > this.taken.number() && handle != this.taken.handle()) {
			this.taken = new Taken(handle, number);
		}
	}

	// Counts before a handle is closed for the next one
	private long number() {
		return this.curator.getZookeeperClient().getInstanceIndex();
	}

	/**
	 * Returns whether Curator closes the handle that was taken last.
	 * @return whether it does, or did, because it is closed itself or makes a new one;
	 * true before it sends anything because of that
	 */
	boolean areClosing() {
		return isStopped() || number() != this.taken.number();
	}

	/**
	 * Returns whether Curator is closed, and makes no handle any more.
	 * @return false also if it was not started yet
	 */
	boolean isStopped() {
		return this.curator.getState() == CuratorFrameworkState.STOPPED;
	}

	private boolean isStarted() {
		return this.curator.getState() == CuratorFrameworkState.STARTED;
	}

	/**
	 * Returns whether a server refuses our credentials.
	 * @return whether it does now, or did shortly before
	 */
	Refusal refusal() {
		try {
			if (!isStarted()) {
				return Refusal.NONE;
			}
			long now = this.clock.getAsLong();
			long number = number();
			if (isRefused()) {
				this.refusedUntil = now + REFUSED_NANOS;
				this.refusedNumber = number;
				return Refusal.NOW;
			}
			return (this.refusedUntil - now > 0) ? Refusal.LATELY : Refusal.NONE;
		}
		catch (Exception ex) {
			log.debug("No ZooKeeper handle to renew", ex);
			return Refusal.NONE;
		}
	}

	/**
	 * Returns whether there was a renewal lately, and none of the handles since was
	 * accepted.
	 * @return false if a refusal may be over, because nobody has tried again for some
	 * seconds
	 */
	boolean wereRenewed() {
		return this.refused.get() && this.clock.getAsLong() - this.nextRenewal < REFUSED_NANOS;
	}

	private boolean isRefused() throws Exception {
		return this.curator.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.AUTH_FAILED;
	}

	/**
	 * Lets Curator make a new handle in place of the one whose refusal was seen last,
	 * unless that was done before, by another client too. The server that refused it, or
	 * what that server asks about us, may have been mended.
	 */
	void renew() {
		long now = this.clock.getAsLong();
		if (now - this.nextRenewal < 0) {
			return;
		}
		CuratorZookeeperClient shared = this.curator.getZookeeperClient();
		try {
			// Who waits here would wait for Curator's own monitor
			synchronized (shared) {
				if (number() == this.refusedNumber && isRefused()) {
					this.nextRenewal = now + RENEWAL_NANOS;
					log.atLevel(this.refused.getAndSet(true) ? Level.DEBUG : Level.WARN)
						.log("A ZooKeeper server refused the credentials of this client; "
								+ "reconnecting until they are accepted");
					shared.reset();
				}
			}
		}
		catch (Exception ex) {
			log.debug("No new ZooKeeper handle", ex);
		}
	}

	/**
	 * A handle, and Curator's number of it.
	 *
	 * @param handle the handle; null before the first one
	 * @param number the number
	 */
	private record Taken(@Nullable ZooKeeper handle, long number) {
	}

	/**
	 * What was seen of Curator's handles.
	 *
	 * @param number the number of the handle that Curator has, or is making
	 * @param seenAt when it had that number
	 * @param madeAfter when it had another one before, or null if that was not seen
	 */
	private record Look(long number, long seenAt, @Nullable Long madeAfter) {

		static Look next(@Nullable Look last, long number, long seenAt) {
			if (last == null) {
				return new Look(number, seenAt, null);
			}
			if (number == last.number) {
				return new Look(number, seenAt, last.madeAfter);
			}
			return (number > last.number) ? new Look(number, seenAt, last.seenAt) : last;
		}

	}

	/** Whether a server refuses our credentials. */
	enum Refusal {

		NONE, LATELY, NOW

	}

	/** Gets what Curator reports, on its threads. */
	interface Host {

		/**
		 * The connection was lost. On ZooKeeper's event thread, if possible.
		 * @param replaced whether the next one may be there already
		 */
		void connectionLost(BooleanSupplier replaced);

		/**
		 * No lock can be acquired.
		 * @param reason why, as a sentence without its full stop
		 */
		void unusable(String reason);

		/** Curator is about to close the handle. On the thread that closes it. */
		void connectionClosing();

		/**
		 * The state of the connection changed.
		 * @param state the new one
		 */
		void connectionChanged(ConnectionState state);

	}

}
