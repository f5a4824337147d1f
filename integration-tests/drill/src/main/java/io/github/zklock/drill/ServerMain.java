package io.github.zklock.drill;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * Runs a ZooKeeper server for as long as its parent lives.
 */
public final class ServerMain {

	private ServerMain() {
	}

	/**
	 * Runs the server.
	 * @param args the path of its configuration
	 */
	public static void main(String[] args) {
		Parent.follow();
		QuorumPeerMain.main(args);
	}

}
