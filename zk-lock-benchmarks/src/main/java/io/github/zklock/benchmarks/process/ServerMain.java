package io.github.zklock.benchmarks.process;

import java.io.IOException;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * Runs a ZooKeeper server until standard input ends.
 */
public final class ServerMain {

	private ServerMain() {
	}

	/**
	 * Runs the server.
	 * @param args the path of its configuration
	 */
	public static void main(String[] args) {
		Thread guard = new Thread(ServerMain::endWithInput, "input");
		guard.setDaemon(true);
		guard.start();
		QuorumPeerMain.main(args);
	}

	private static void endWithInput() {
		try {
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ex) {
			System.err.println("Standard input failed: " + ex);
		}
		Runtime.getRuntime().halt(0);
	}

}
