package io.github.zklock.benchmarks.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between clients and a server and holds back everything that is sent for a fixed
 * time, as a longer wire would: what is sent at once arrives at once. What a client does
 * that takes longer by n delays has waited for n answers.
 */
public final class DelayProxy implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(DelayProxy.class);

	private final String host;

	private final int port;

	private final long delayNanos;

	private final ServerSocket entrance;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/**
	 * Starts a proxy.
	 * @param target where the server is, as host and port
	 * @param roundTrip how much longer a request and its answer take
	 */
	public DelayProxy(String target, Duration roundTrip) {
		int colon = target.lastIndexOf(':');
		this.host = target.substring(0, colon);
		this.port = Integer.parseInt(target.substring(colon + 1));
		this.delayNanos = roundTrip.toNanos() / 2;
		try {
			this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	/**
	 * Tells where clients connect.
	 * @return host and port
	 */
	public String connectString() {
		return "127.0.0.1:" + this.entrance.getLocalPort();
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "delay-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.entrance.accept();
				Socket server = new Socket();
				this.sockets.add(client);
				this.sockets.add(server);
				server.connect(new InetSocketAddress(this.host, this.port));
				client.setTcpNoDelay(true);
				server.setTcpNoDelay(true);
				carry(client, server);
				carry(server, client);
			}
		}
		catch (IOException ex) {
			log.debug("The proxy takes no more clients", ex);
		}
	}

	private void carry(Socket from, Socket to) {
		BlockingQueue<Piece> wire = new LinkedBlockingQueue<>();
		start(() -> read(from, wire));
		start(() -> write(to, wire));
	}

	private void read(Socket from, BlockingQueue<Piece> wire) {
		byte[] buffer = new byte[1 << 16];
		try {
			InputStream input = from.getInputStream();
			for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
				wire.add(new Piece(System.nanoTime() + this.delayNanos, Arrays.copyOf(buffer, count)));
			}
		}
		catch (IOException ex) {
			log.debug("A connection has ended", ex);
		}
		wire.add(Piece.END);
	}

	private static void write(Socket to, BlockingQueue<Piece> wire) {
		try (to) {
			OutputStream output = to.getOutputStream();
			for (Piece piece = wire.take(); piece != Piece.END; piece = wire.take()) {
				for (long left = piece.due - System.nanoTime(); left > 0; left = piece.due - System.nanoTime()) {
					LockSupport.parkNanos(left);
				}
				output.write(piece.bytes);
			}
		}
		catch (IOException ex) {
			log.debug("A connection has ended", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		try {
			this.entrance.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class Piece {

		private static final Piece END = new Piece(0, new byte[0]);

		private final long due;

		private final byte[] bytes;

		private Piece(long due, byte[] bytes) {
			this.due = due;
			this.bytes = bytes;
		}

	}

}
