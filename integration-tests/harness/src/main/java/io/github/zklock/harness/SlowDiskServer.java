package io.github.zklock.harness;

import java.time.Duration;

import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * A single ZooKeeper server whose disk takes longer to write what is forced to it. It
 * removes no empty containers.
 */
final class SlowDiskServer {

	private SlowDiskServer() {
	}

	/**
	 * Runs the server.
	 * @param config its configuration
	 * @param longer how much longer each forced write takes
	 * @throws Exception if it cannot
	 */
	static void run(ServerConfig config, Duration longer) throws Exception {
		SlowLog log = new SlowLog(config.getDataLogDir(), config.getDataDir(), longer);
		ServerCnxnFactory connections = ServerCnxnFactory.createFactory(config.getClientPortAddress(),
				config.getMaxClientCnxns(), config.getClientPortListenBacklog());
		connections.startup(new ZooKeeperServer(log, config.getTickTime(), config.getMinSessionTimeout(),
				config.getMaxSessionTimeout(), config.getClientPortListenBacklog(), new ZKDatabase(log), ""));
		connections.join();
	}

}
