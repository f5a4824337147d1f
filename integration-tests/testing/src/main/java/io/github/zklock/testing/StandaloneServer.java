package io.github.zklock.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * One server.
 */
final class StandaloneServer extends TestServers {

	private int port;

	private NIOServerCnxnFactory connections;

	private FileTxnSnapLog storage;

	private volatile ZooKeeperServer server;

	@Override
	public String connectString() {
		// Twice, because a client rests for a second when it has tried all addresses
		return "127.0.0.1:%1$d,127.0.0.1:%1$d".formatted(this.port);
	}

	@Override
	public synchronized void start() {
		if (this.server != null) {
			return;
		}
		try {
			File data = directory().toFile();
			this.storage = new FileTxnSnapLog(data, data);
			ZooKeeperServer starting = new ZooKeeperServer(this.storage, TICK_MILLIS, MIN_SESSION_MILLIS,
					MAX_SESSION_MILLIS, -1, null, "");
			this.connections = new NIOServerCnxnFactory();
			this.connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port), 0, -1,
					false);
			this.port = this.connections.getLocalPort();
			this.connections.startup(starting);
			this.server = starting;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.server == null) {
			return;
		}
		this.server = null;
		this.connections.shutdown();
		try {
			this.storage.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public List<ZooKeeperServer> running() {
		ZooKeeperServer current = this.server;
		return (current != null) ? List.of(current) : List.of();
	}

}
