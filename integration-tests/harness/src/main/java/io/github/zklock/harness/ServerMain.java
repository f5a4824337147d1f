package io.github.zklock.harness;

import java.nio.file.Path;
import java.time.Duration;

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

	private static final String FORCED_WRITE_DELAY = "server.forced-write-delay";

	private ServerMain() {
	}

	/**
	 * Makes the option of a server's JVM that makes its disk slow.
	 * @param longer how much longer each forced write takes
	 * @return the option
	 */
	public static String slowDisk(Duration longer) {
		return "-D" + FORCED_WRITE_DELAY + "=" + longer;
	}

	/**
	 * Runs the server.
	 * @param args the path of its configuration
	 * @throws Exception if it cannot
	 */
	public static void main(String[] args) throws Exception {
		Duration longer = Duration.parse(System.getProperty(FORCED_WRITE_DELAY, Duration.ZERO.toString()));
		if (Boolean.getBoolean("server.may-lag")) {
			new LaggingQuorumPeerMain(lagFile(args[0])).run(args[0]);
		}
		else if (!longer.isZero()) {
			runOnSlowDisk(args[0], longer);
		}
		else {
			QuorumPeerMain.main(args);
		}
	}

	private static void runOnSlowDisk(String configuration, Duration longer) throws Exception {
		QuorumPeerConfig parsed = new QuorumPeerConfig();
		parsed.parse(configuration);
		if (parsed.isDistributed()) {
			new SlowDiskQuorumPeerMain(longer).run(parsed);
		}
		else {
			ServerConfig alone = new ServerConfig();
			alone.readFrom(parsed);
			SlowDiskServer.run(alone, longer);
		}
	}

	static Path lagFile(String configuration) {
		return Path.of(configuration + ".lag");
	}

}
