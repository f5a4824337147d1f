package io.github.zklock.harness;

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
	 * @param millis how much longer each forced write takes
	 * @throws Exception if it cannot
	 */
	static void run(ServerConfig config, int millis) throws Exception {
		SlowLog log = new SlowLog(config.getDataLogDir(), config.getDataDir(), millis);
		ServerCnxnFactory connections = ServerCnxnFactory.createFactory(config.getClientPortAddress(),
				config.getMaxClientCnxns(), config.getClientPortListenBacklog());
		connections.startup(new ZooKeeperServer(log, config.getTickTime(), config.getMinSessionTimeout(),
				config.getMaxSessionTimeout(), config.getClientPortListenBacklog(), new ZKDatabase(log), ""));
		connections.join();
	}

}
