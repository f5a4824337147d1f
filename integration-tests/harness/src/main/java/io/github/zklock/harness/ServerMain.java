package io.github.zklock.harness;

import java.nio.file.Path;

import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.quorum.LaggingQuorumPeerMain;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.apache.zookeeper.server.quorum.SlowDiskQuorumPeerMain;

/**
 * Runs a ZooKeeper server.
 */
public final class ServerMain {

	/** Makes it a server that can lag behind: while its lag file exists. */
	public static final String MAY_LAG = "-Dserver.may-lag=true";

	/**
	 * Begins the option that makes the disk of a server slow: how many milliseconds
	 * longer each forced write takes follows.
	 */
	public static final String SLOW_DISK = "-Dserver.forced-write-delay=";

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
		else if (Integer.getInteger("server.forced-write-delay", 0) > 0) {
			runOnSlowDisk(args[0], Integer.getInteger("server.forced-write-delay"));
		}
		else {
			QuorumPeerMain.main(args);
		}
	}

	private static void runOnSlowDisk(String configuration, int millis) throws Exception {
		QuorumPeerConfig parsed = new QuorumPeerConfig();
		parsed.parse(configuration);
		if (parsed.isDistributed()) {
			new SlowDiskQuorumPeerMain(millis).run(parsed);
		}
		else {
			ServerConfig alone = new ServerConfig();
			alone.readFrom(parsed);
			SlowDiskServer.run(alone, millis);
		}
	}

	static Path lagFile(String configuration) {
		return Path.of(configuration + ".lag");
	}

}
