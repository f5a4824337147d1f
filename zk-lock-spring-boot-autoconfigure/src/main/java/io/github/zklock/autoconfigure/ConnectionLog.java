package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;

import io.github.zklock.aop.LockedBeanValidator;

/**
 * Says at start where the locks are, and one line when the servers do not answer any
 * more, another if it is known why, and one when they do.
 */
final class ConnectionLog implements ConnectionStateListener, SmartInitializingSingleton, DisposableBean {

	private static final Logger log = LoggerFactory.getLogger(ConnectionLog.class);

	/** A client that only moves to another server is connected by then. */
	private static final int SETTLED_MILLIS = 2000;

	private final CuratorFramework curator;

	private final String root;

	private final @Nullable LockedBeanValidator methods;

	private final boolean tls;

	private boolean unanswered;

	private long since;

	/**
	 * Creates a log that says nothing yet.
	 * @param curator the client
	 * @param root the path of the root of the locks
	 * @param methods knows the locked methods, or null if there are no such
	 * @param tls whether the connection is encrypted
	 */
	ConnectionLog(CuratorFramework curator, String root, @Nullable LockedBeanValidator methods, boolean tls) {
		this.curator = curator;
		this.root = root;
		this.methods = methods;
		this.tls = tls;
	}

	// What happens meanwhile waits, and is logged after it
	@Override
	public synchronized void afterSingletonsInstantiated() {
		this.curator.getConnectionStateListenable().addListener(this, Runnable::run);
		String locked = (this.methods != null) ? ", %d locked methods".formatted(this.methods.lockedMethods()) : "";
		if (this.curator.getZookeeperClient().isConnected()) {
			log.info("Locks at {} below {}, session {}{}", servers(), this.root,
					seconds(this.curator.getZookeeperClient().getLastNegotiatedSessionTimeoutMs()), locked);
		}
		else {
			log.warn("Locks at {} below {}{}: no server has answered yet, and until one does no lock can be acquired",
					servers(), this.root, locked);
			unanswered();
		}
	}

	@Override
	public synchronized void stateChanged(CuratorFramework client, ConnectionState state) {
		// A server without a quorum gives no lock
		if (state.isConnected() && state != ConnectionState.READ_ONLY) {
			if (this.unanswered) {
				this.unanswered = false;
				log.info("ZooKeeper at {} answers again, after {}", servers(),
						seconds((System.nanoTime() - this.since) / 1_000_000));
			}
		}
		else if (!this.unanswered) {
			unanswered();
			log.warn(
					"ZooKeeper at {} does not answer: until it does no lock can be acquired, and locks that are held are lost when their lease is over",
					servers());
		}
	}

	private void unanswered() {
		long now = System.nanoTime();
		this.unanswered = true;
		this.since = now;
		CompletableFuture.delayedExecutor(SETTLED_MILLIS, TimeUnit.MILLISECONDS, StartupConnection::inThread)
			.execute(() -> explain(now, StartupConnection.reason(servers(), this.tls)));
	}

	// The client's own loggers, which would say so each second, are off
	private synchronized void explain(long began, String reason) {
		if (this.unanswered && this.since == began && !reason.isEmpty()) {
			log.warn("Why ZooKeeper at {} may not answer: {}", servers(), reason);
		}
	}

	private String servers() {
		return this.curator.getZookeeperClient().getCurrentConnectionString();
	}

	private static String seconds(long millis) {
		Duration time = Duration.ofMillis(millis);
		return (time.toMillisPart() == 0) ? time.toSeconds() + " s"
				: String.format(Locale.ROOT, "%.1f s", millis / 1e3);
	}

	@Override
	public synchronized void destroy() {
		this.curator.getConnectionStateListenable().removeListener(this);
		this.unanswered = false;
	}

}
