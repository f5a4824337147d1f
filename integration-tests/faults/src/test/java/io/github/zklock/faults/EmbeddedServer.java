package io.github.zklock.faults;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

import io.github.zklock.harness.ServerSettings;

/**
 * A server in this process, whose tree can be changed from inside.
 */
final class EmbeddedServer implements AutoCloseable {

	private final NIOServerCnxnFactory connections = new NIOServerCnxnFactory();

	private final ZooKeeperServer server;

	EmbeddedServer(Path directory) {
		try {
			File data = directory.toFile();
			this.server = new ZooKeeperServer(data, data, ServerSettings.TICK_MILLIS);
			this.server.setMaxSessionTimeout(60_000);
			this.connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
			this.connections.startup(this.server);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	String connectString() {
		return "127.0.0.1:" + this.connections.getLocalPort();
	}

	DataTree tree() {
		return this.server.getZKDatabase().getDataTree();
	}

	@Override
	public void close() {
		this.connections.shutdown();
	}

}
