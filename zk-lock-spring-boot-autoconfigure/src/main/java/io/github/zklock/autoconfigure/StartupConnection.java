package io.github.zklock.autoconfigure;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Waits at start-up until a ZooKeeper server has answered.
 */
final class StartupConnection {

	private static final String ACTION = """
			Check that a server runs there, that this host can reach it, and that zk-lock.connect-string is right. \
			To wait longer, set zk-lock.connection-timeout. To start without a server, set zk-lock.fail-fast=false: \
			locks are unavailable until one answers. For development, zk-lock.embedded.enabled=true without a connect \
			string starts a server inside the application.""";

	private static final String TLS = """
			The connection is to use TLS: check that the servers expect it on that port, that the SSL bundle of \
			zk-lock.ssl.bundle trusts their certificate and has a certificate that they trust, that none has \
			expired, and that the name in the connect string is in theirs. \
			With logging.level.org.apache.zookeeper=debug the log says more.""";

	private static final int PAUSE_MILLIS = 10;

	private static final int LOOKUP_MILLIS = 500;

	private static final String TESTS = "org.springframework.test.context.TestContextManager";

	private StartupConnection() {
	}

	/**
	 * Waits for a server.
	 * @param curator a started client
	 * @param timeout how long to wait at most
	 * @param tls whether the connection is encrypted
	 * @throws ZkLockStartupException if none has answered by then
	 */
	static void await(CuratorFramework curator, Duration timeout, boolean tls) {
		if (!isConnected(curator, timeout)) {
			String servers = curator.getZookeeperClient().getCurrentConnectionString();
			throw new ZkLockStartupException(
					"No ZooKeeper server at '%s' answered within %s.%s".formatted(servers, readable(timeout),
							unresolved(servers, LOOKUP_MILLIS, StartupConnection::resolves)),
					(advice(tls) + " " + ACTION).trim() + inTests());
		}
	}

	/**
	 * Says what to check of the connection, beside host names.
	 * @param tls whether it is encrypted
	 * @return sentences with a space before them, or nothing if nothing is known
	 */
	static String advice(boolean tls) {
		return tls ? " " + TLS : "";
	}

	/**
	 * Names the hosts that do not resolve. Looks up all at once: name servers may not
	 * answer either.
	 * @param servers the connect string
	 * @param millis how long to wait for the name servers at most
	 * @param resolves looks up a host
	 * @return a sentence for each, with a space before it
	 */
	static String unresolved(@Nullable String servers, int millis, Predicate<String> resolves) {
		try {
			return new ConnectStringParser(servers).getServerAddresses()
				.stream()
				.map(InetSocketAddress::getHostString)
				.distinct()
				.map((host) -> CompletableFuture
					.supplyAsync(
							() -> resolves.test(host) ? "" : " The host name '%s' does not resolve.".formatted(host),
							StartupConnection::inThread)
					.completeOnTimeout("", millis, TimeUnit.MILLISECONDS))
				.toList()
				.stream()
				.map(CompletableFuture::join)
				.collect(Collectors.joining());
		}
		catch (RuntimeException ex) {
			// A connect string that cannot be read names no host
			return "";
		}
	}

	static boolean resolves(String host) {
		return !new InetSocketAddress(host, 0).isUnresolved();
	}

	static void inThread(Runnable lookup) {
		Thread thread = new Thread(lookup, "zk-lock-lookup");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Looks for a session time-out that the servers have raised: it is their least, by
	 * default two ticks, and the locks need five.
	 * @param curator a connected client
	 * @param asked which one it asks for
	 * @return why no lock can be acquired, or null if they gave no more
	 */
	static @Nullable ZkLockStartupException sessionProblem(CuratorFramework curator, Duration asked) {
		int given = curator.getZookeeperClient().getLastNegotiatedSessionTimeoutMs();
		if (given <= asked.toMillis()) {
			return null;
		}
		return new ZkLockStartupException(
				"The ZooKeeper servers raised zk-lock.session-timeout from %s ms to %s ms, which is their minSessionTimeout, by default two ticks."
					.formatted(asked.toMillis(), given),
				"Whether a lock is still held can only be known with a session time-out of five ticks at least: set zk-lock.session-timeout=%sms, or lower the servers' tickTime. If their minSessionTimeout is five ticks or more, zk-lock.session-timeout=%sms will do."
					.formatted(given / 2 * 5, given));
	}

	/**
	 * Says what tests use.
	 * @return a sentence with a space before it, or nothing where no tests run
	 */
	static String inTests() {
		return ClassUtils.isPresent(TESTS, StartupConnection.class.getClassLoader())
				? " A test has a server of its own with @AutoConfigureZkLockTest, of io.github.zklock:zk-lock-spring-boot-test."
				: "";
	}

	// To wait itself Curator looks at the wall clock, which may be set back meanwhile
	private static boolean isConnected(CuratorFramework curator, Duration timeout) {
		try {
			long began = System.nanoTime();
			while (!curator.blockUntilConnected(0, TimeUnit.MILLISECONDS)) {
				if (System.nanoTime() - began >= timeout.toNanos()) {
					return false;
				}
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new ZkLockStartupException("Interrupted while waiting for a ZooKeeper server.",
					"Start the application again.", ex);
		}
	}

	private static String readable(Duration timeout) {
		return (timeout.toMillisPart() == 0) ? timeout.toSeconds() + "s" : timeout.toMillis() + "ms";
	}

}
