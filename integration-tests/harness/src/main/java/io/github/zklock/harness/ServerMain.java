package io.github.zklock.harness;

import java.nio.file.Path;

import org.apache.zookeeper.server.quorum.LaggingQuorumPeerMain;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * Runs a ZooKeeper server.
 */
public final class ServerMain {

	/** Makes it a server that can lag behind: while its lag file exists. */
	public static final String MAY_LAG = "-Dserver.may-lag=true";

	private ServerMain() {
	}

	/**
	 * Runs the server.
	 * @param args the path of its configuration
	 * @throws Exception if it cannot
	 */
	public static void main(String[] args) throws Exception {
		if (Boolean.getBoolean("server.may-lag")) {
			new LaggingQuorumPeerMain(lagFile(args[0])).run(args[0]);
		}
		else {
			QuorumPeerMain.main(args);
		}
	}

	static Path lagFile(String configuration) {
		return Path.of(configuration + ".lag");
	}

}
