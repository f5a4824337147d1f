package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.Locale;

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
 * more, and one when they do.
 */
final class ConnectionLog implements ConnectionStateListener, SmartInitializingSingleton, DisposableBean {

	private static final Logger log = LoggerFactory.getLogger(ConnectionLog.class);

	private final CuratorFramework curator;

	private final String root;

	private final @Nullable LockedBeanValidator methods;

	private boolean unanswered;

	private long since;

	/**
	 * Creates a log that says nothing yet.
	 * @param curator the client
	 * @param root the path of the root of the locks
	 * @param methods knows the locked methods, or null if there are no such
	 */
	ConnectionLog(CuratorFramework curator, String root, @Nullable LockedBeanValidator methods) {
		this.curator = curator;
		this.root = root;
		this.methods = methods;
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
		this.unanswered = true;
		this.since = System.nanoTime();
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
	public void destroy() {
		this.curator.getConnectionStateListenable().removeListener(this);
	}

}
