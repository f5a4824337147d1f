package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig.ConfigException;
import org.apache.zookeeper.util.ServiceUtils;

/**
 * ZooKeeper's server on a thread of its own. What ZooKeeper has for that,
 * {@code ZooKeeperServerEmbedded}, waits forever for the end of a server that fails on
 * its data, and does not end one that is still starting.
 */
final class EmbeddedServerThread extends ZooKeeperServerMain {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

	private final CompletableFuture<Integer> started = new CompletableFuture<Integer>()
		.orTimeout(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);

	private EmbeddedServerThread() {
	}

	/**
	 * Starts a server. If that fails nothing of it is left. An interrupt does not cut it
	 * short.
	 * @param properties its configuration
	 * @return the server, to be closed
	 * @throws IOException if the configuration cannot be read
	 * @throws ConfigException if it is not valid
	 * @throws CompletionException if it failed, or is not ready in time, and so ends as
	 * soon as it is
	 */
	static EmbeddedServerThread start(Properties properties) throws IOException, ConfigException {
		QuorumPeerConfig parsed = new QuorumPeerConfig();
		parsed.parseProperties(properties);
		ServerConfig configuration = new ServerConfig();
		configuration.readFrom(parsed);
		// It would end the JVM
		ServiceUtils.setSystemExitProcedure(ServiceUtils.LOG_ONLY);
		EmbeddedServerThread server = new EmbeddedServerThread();
		new Thread(() -> server.serve(configuration), "zk-lock-embedded-server").start();
		server.started.join();
		return server;
	}

	private void serve(ServerConfig configuration) {
		try {
			runFromConfig(configuration);
		}
		catch (Throwable ex) {
			try {
				shutdown();
			}
			finally {
				this.started.completeExceptionally(ex);
			}
		}
	}

	@Override
	protected void serverStarted() {
		if (!this.started.complete(getClientPort())) {
			close();
		}
	}

	int port() {
		return this.started.join();
	}

}
