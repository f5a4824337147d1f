package io.github.zklock.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections over which followers talk to their leader, each direction of which can
 * be held for as long as one likes: what is held is late, as behind a link that loses
 * packets, but for exactly as long, and without a word to the other direction.
 */
public final class ServerLinks implements AutoCloseable {

	/*-
	 * One listener for each pair of follower and leader, two threads for each connection, one
	 * for each direction. A direction that is held stops before it forwards what it has read.
	 * Nothing is lost, and nothing overtakes.
	 */

	private final Map<Link, ServerSocket> listeners = new ConcurrentHashMap<>();

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final Set<Link> held = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Opens a way from one server to another.
	 * @param follower the place in the list of the server that connects when it follows
	 * @param leader the place of the other one
	 * @param address where the other one waits for its followers
	 * @return where the follower is to look for it
	 */
	InetSocketAddress open(int follower, int leader, InetSocketAddress address) {
		try {
			ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			Link up = new Link(follower, leader);
			this.listeners.put(up, listener);
			daemon(() -> accept(listener, address, up, new Link(leader, follower)));
			return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Lets nothing pass any more from one server to another.
	 * @param from its place in the list of servers
	 * @param to the other's place
	 */
	public void hold(int from, int to) {
		this.held.add(new Link(from, to));
	}

	/**
	 * Lets everything pass again, beginning with what was held.
	 * @param from its place in the list of servers
	 * @param to the other's place
	 */
	public void release(int from, int to) {
		synchronized (this.held) {
			this.held.remove(new Link(from, to));
			this.held.notifyAll();
		}
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "server-link");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept(ServerSocket listener, InetSocketAddress address, Link up, Link down) {
		while (!this.closed) {
			try {
				Socket follower = listener.accept();
				Socket leader = new Socket();
				List<Socket> both = List.of(follower, leader);
				this.sockets.addAll(both);
				try {
					leader.connect(address, 1_000);
					follower.setTcpNoDelay(true);
					leader.setTcpNoDelay(true);
					daemon(() -> pump(follower, leader, up));
					daemon(() -> pump(leader, follower, down));
				}
				catch (IOException ex) {
					end(both);
				}
			}
			catch (IOException ex) {
				// Closed, or the follower has gone already.
			}
		}
	}

	private void pump(Socket from, Socket to, Link link) {
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] bytes = new byte[1 << 16];
			for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
				pass(link);
				out.write(bytes, 0, count);
			}
		}
		catch (IOException ex) {
			// One side has gone; the other one follows.
		}
		finally {
			end(List.of(from, to));
		}
	}

	private void pass(Link link) {
		synchronized (this.held) {
			while (this.held.contains(link) && !this.closed) {
				try {
					this.held.wait();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}
	}

	private void end(List<Socket> both) {
		this.sockets.removeAll(both);
		for (Socket socket : both) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	@Override
	public void close() {
		this.closed = true;
		synchronized (this.held) {
			this.held.clear();
			this.held.notifyAll();
		}
		try {
			for (ServerSocket listener : this.listeners.values()) {
				listener.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		end(new ArrayList<>(this.sockets));
	}

	private record Link(int from, int to) {
	}

}
