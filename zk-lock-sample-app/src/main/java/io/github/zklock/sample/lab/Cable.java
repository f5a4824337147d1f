package io.github.zklock.sample.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.client.ConnectStringParser;

/**
 * Sits between a client and a server, and can hold up what they say to each other.
 */
final class Cable implements AutoCloseable {

	/*-
	 * One thread for each direction of each connection. While the cable is held up they keep
	 * what they have read; neither end of the connection is notified.
	 */

	private final InetSocketAddress server;

	private final String chroot;

	private final ServerSocket entrance;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private boolean heldUp;

	private boolean closed;

	private Cable(InetSocketAddress server, String chroot) throws IOException {
		this.server = server;
		this.chroot = chroot;
		this.entrance = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
	}

	/**
	 * Lays a cable to the first of some servers.
	 * @param connectString where the servers are
	 * @return the cable
	 */
	static Cable to(String connectString) {
		ConnectStringParser servers = new ConnectStringParser(connectString);
		InetSocketAddress first = servers.getServerAddresses().get(0);
		try {
			Cable cable = new Cable(new InetSocketAddress(first.getHostString(), first.getPort()),
					Objects.requireNonNullElse(servers.getChrootPath(), ""));
			start(cable::accept);
			return cable;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns what a client connects to.
	 * @return this end of the cable, with the path that the connect string ended with
	 */
	String connectString() {
		return this.entrance.getInetAddress().getHostAddress() + ":" + this.entrance.getLocalPort() + this.chroot;
	}

	synchronized void holdUp() {
		this.heldUp = true;
	}

	synchronized void letThrough() {
		this.heldUp = false;
		notifyAll();
	}

	private void accept() {
		while (!this.entrance.isClosed()) {
			try {
				connect(this.entrance.accept());
			}
			catch (IOException ex) {
				// this connection failed, or the cable is closed: the client sees it
			}
		}
	}

	private void connect(Socket client) throws IOException {
		Socket target = new Socket();
		this.sockets.add(client);
		this.sockets.add(target);
		try {
			target.connect(this.server, 5_000);
		}
		catch (IOException ex) {
			cut(client, target);
			throw ex;
		}
		start(() -> pump(client, target));
		start(() -> pump(target, client));
	}

	private void pump(Socket from, Socket to) {
		byte[] buffer = new byte[8192];
		try {
			for (int length = from.getInputStream().read(buffer); length >= 0; length = from.getInputStream()
				.read(buffer)) {
				awaitPassage();
				to.getOutputStream().write(buffer, 0, length);
			}
		}
		catch (IOException | InterruptedException ex) {
			// the other end is notified by closing
		}
		finally {
			cut(from, to);
		}
	}

	private synchronized void awaitPassage() throws InterruptedException {
		while (this.heldUp && !this.closed) {
			wait();
		}
	}

	private void cut(Socket... ends) {
		for (Socket end : ends) {
			this.sockets.remove(end);
			try {
				end.close();
			}
			catch (IOException ex) {
				// it is of no use any more
			}
		}
	}

	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			notifyAll();
		}
		try {
			this.entrance.close();
		}
		catch (IOException ex) {
			// nobody comes in any more
		}
		cut(this.sockets.toArray(Socket[]::new));
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "lab-cable");
		thread.setDaemon(true);
		thread.start();
	}

}
