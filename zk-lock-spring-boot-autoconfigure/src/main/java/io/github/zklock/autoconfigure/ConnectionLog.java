package io.github.zklock.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

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

	private final CuratorFramework curator;

	private final String root;

	private final @Nullable LockedBeanValidator methods;

	private final boolean tls;

	private final Predicate<String> resolves;

	/** A client that only moves to another server is connected after it. */
	private final int pauseMillis;

	/** When the outage began, or 0 if a server answers. */
	private volatile long since;

	private boolean closed;

	/**
	 * Creates a log that says nothing yet.
	 * @param curator the client
	 * @param root the path of the root of the locks
	 * @param methods knows the locked methods, or null if there are no such
	 * @param tls whether the connection is encrypted
	 */
	ConnectionLog(CuratorFramework curator, String root, @Nullable LockedBeanValidator methods, boolean tls) {
		this(curator, root, methods, tls, StartupConnection::resolves, 2000);
	}

	/**
	 * Creates a log that says nothing yet.
	 * @param curator the client
	 * @param root the path of the root of the locks
	 * @param methods knows the locked methods, or null if there are no such
	 * @param tls whether the connection is encrypted
	 * @param resolves looks up a host
	 * @param pauseMillis how long after the beginning of an outage hosts are looked up
	 */
	ConnectionLog(CuratorFramework curator, String root, @Nullable LockedBeanValidator methods, boolean tls,
			Predicate<String> resolves, int pauseMillis) {
		this.curator = curator;
		this.root = root;
		this.methods = methods;
		this.tls = tls;
		this.resolves = resolves;
		this.pauseMillis = pauseMillis;
	}

	// What happens meanwhile waits, and is logged after it
	@Override
	public synchronized void afterSingletonsInstantiated() {
		this.curator.getConnectionStateListenable().addListener(this);
		String locked = (this.methods != null) ? ", " + this.methods.lockedMethods() + " locked methods" : "";
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
		long began = this.since;
		// A server without a quorum gives no lock
		if (state.isConnected() && state != ConnectionState.READ_ONLY) {
			this.since = 0;
			if (began != 0) {
				log.info("ZooKeeper at {} answers again, after {}", servers(),
						seconds((System.nanoTime() - began) / 1_000_000));
			}
		}
		else if (began == 0 && !this.closed) {
			unanswered();
			log.warn(
					"ZooKeeper at {} does not answer: until it does no lock can be acquired, and locks that are held are lost when their lease is over",
					servers());
		}
	}

	private void unanswered() {
		// Odd, so never 0
		long now = System.nanoTime() | 1;
		this.since = now;
		look(now, this.pauseMillis, this.tls);
	}

	// Without a bound: name servers that are down may take a minute to fail a look-up
	private void look(long began, int millis, boolean withTls) {
		CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run).execute(() -> {
			// All timers of the JVM share this thread, so it waits for no lock
			if (began == this.since) {
				StartupConnection.inThread(() -> explain(began,
						StartupConnection.unresolved(servers(), Integer.MAX_VALUE, this.resolves), withTls));
			}
		});
	}

	// The client's own loggers, which would say so each second, are off. What is known is
	// said once: of TLS at the first look, of hosts when one does not resolve
	private synchronized void explain(long began, String unresolved, boolean withTls) {
		if (began != this.since) {
			return;
		}
		if (withTls || !unresolved.isEmpty()) {
			log.warn("Why ZooKeeper at {} may not answer:{}{}", servers(), unresolved,
					StartupConnection.advice(withTls));
		}
		// Each minute: a name may stop resolving during the outage
		if (unresolved.isEmpty()) {
			look(began, 30 * this.pauseMillis, false);
		}
	}

	private String servers() {
		return this.curator.getZookeeperClient().getCurrentConnectionString();
	}

	private static String seconds(long millis) {
		return ((millis - millis % 100) / 1e3 + " s").replace(".0 ", " ");
	}

	@Override
	public synchronized void destroy() {
		this.curator.getConnectionStateListenable().removeListener(this);
		this.since = 0;
		this.closed = true;
	}

}
