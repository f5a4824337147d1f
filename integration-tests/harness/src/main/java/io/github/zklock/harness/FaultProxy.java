package io.github.zklock.harness;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Sits between clients and a server, understands ZooKeeper's frames, and makes faults.
 * Request types are those of {@link OpCode}; that of a multi is the negative one of its
 * first operation that is no check.
 */
public final class FaultProxy implements AutoCloseable {

	/*-
	 * Two threads for each direction of a connection: one reads frames and says when each is
	 * due, the other one forwards them when they are. So a delay makes the wire longer, and
	 * not thinner: what is sent at once arrives at once. A direction that is held stops before
	 * it forwards the next frame, so that nothing is lost but everything is late, as in a
	 * network that is partitioned and heals. The first frame of each direction is the session's
	 * handshake and has no header.
	 */

	private final ServerSocket listener;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final LossRules rules = new LossRules();

	private final Set<Integer> swallowed = ConcurrentHashMap.newKeySet();

	private final Set<Direction> held = EnumSet.noneOf(Direction.class);

	private final Set<Integer> typesOfHeldAnswers = ConcurrentHashMap.newKeySet();

	private volatile InetSocketAddress server;

	private volatile boolean refusing;

	private volatile long delayNanos;

	private volatile boolean closed;

	/**
	 * Opens a proxy.
	 * @param server where it leads
	 */
	public FaultProxy(InetSocketAddress server) {
		this.server = server;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		daemon(this::accept, "proxy-" + this.listener.getLocalPort());
	}

	private static void daemon(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Returns how clients reach the proxy: by two names, because a client that knows only
	 * one address waits a second before it tries again.
	 * @return the connect string
	 */
	public String connectString() {
		return "127.0.0.1:%1$d,localhost:%1$d".formatted(this.listener.getLocalPort());
	}

	/**
	 * Leads future connections to another server.
	 * @param other the server
	 */
	public void leadTo(InetSocketAddress other) {
		this.server = other;
	}

	/** Cuts all connections that there are. */
	public void cut() {
		this.links.forEach(Link::close);
	}

	/** Cuts all connections and accepts no new ones. */
	public void refuse() {
		this.refusing = true;
		cut();
	}

	/** Makes no more faults, accepts connections again, and forwards what was held. */
	public void heal() {
		this.rules.clear();
		this.swallowed.clear();
		this.refusing = false;
		this.delayNanos = 0;
		synchronized (this.held) {
			this.held.clear();
			this.typesOfHeldAnswers.clear();
			this.held.notifyAll();
		}
	}

	/**
	 * Lets requests vanish, and keeps their connections.
	 * @param types the request types
	 */
	public void swallow(Set<Integer> types) {
		this.swallowed.addAll(types);
	}

	/**
	 * Forwards nothing any more: a black hole.
	 * @param directions which way
	 */
	public void hold(Direction... directions) {
		synchronized (this.held) {
			this.held.addAll(List.of(directions));
		}
	}

	/**
	 * Forwards, on each connection, neither the answer to such a request nor what comes
	 * behind it.
	 * @param types the request types
	 */
	public void holdAnswers(Set<Integer> types) {
		this.typesOfHeldAnswers.addAll(types);
	}

	/**
	 * Forwards what comes from now on later, each way: an answer takes twice as much
	 * longer.
	 * @param delay how much later
	 */
	public void delay(Duration delay) {
		this.delayNanos = delay.toNanos();
	}

	/**
	 * Swallows one answer and cuts its connection: the server has handled the request,
	 * and the client does not know.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @return completes when it has happened, with the path of the request
	 */
	public CompletableFuture<String> loseAnswer(int number, Set<Integer> types) {
		return this.rules.add(number, types, false, false);
	}

	/**
	 * As {@link #loseAnswer}, and accepts no new connections until {@link #heal}.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @return completes when it has happened, with the path of the request
	 */
	public CompletableFuture<String> loseAnswerAndRefuse(int number, Set<Integer> types) {
		return this.rules.add(number, types, false, true);
	}

	/**
	 * Swallows one request and cuts its connection: the server has never seen it, and the
	 * client does not know.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @return completes when it has happened, with the path of the request
	 */
	public CompletableFuture<String> loseRequest(int number, Set<Integer> types) {
		return this.rules.add(number, types, true, false);
	}

	private void accept() {
		while (!this.closed) {
			try {
				Socket client = this.listener.accept();
				if (this.refusing) {
					client.close();
				}
				else {
					open(client);
				}
			}
			catch (IOException ex) {
				// Closed, or the client has gone already.
			}
		}
	}

	private void open(Socket client) throws IOException {
		Socket upstream = new Socket();
		try {
			upstream.connect(this.server, 1_000);
		}
		catch (IOException ex) {
			client.close();
			return;
		}
		client.setTcpNoDelay(true);
		upstream.setTcpNoDelay(true);
		Link link = new Link(client, upstream);
		this.links.add(link);
		if (this.refusing) {
			link.close();
		}
		link.pump(Direction.TO_SERVER);
		link.pump(Direction.TO_CLIENT);
	}

	private void pass(Direction direction, boolean heldAnswer) throws InterruptedException {
		synchronized (this.held) {
			while ((this.held.contains(direction) || (heldAnswer && !this.typesOfHeldAnswers.isEmpty()))
					&& !this.closed) {
				this.held.wait();
			}
		}
	}

	@Override
	public void close() {
		this.closed = true;
		heal();
		cut();
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Which way a frame goes. */
	public enum Direction {

		/** What clients send. */
		TO_SERVER,

		/** What the server sends. */
		TO_CLIENT

	}

	/** One connection. */
	private final class Link {

		private final Map<Integer, LossRules.Loss> lost = new ConcurrentHashMap<>();

		private final Set<Integer> heldAnswers = ConcurrentHashMap.newKeySet();

		private final Socket client;

		private final Socket upstream;

		Link(Socket client, Socket upstream) {
			this.client = client;
			this.upstream = upstream;
		}

		private void pump(Direction direction) {
			boolean up = direction == Direction.TO_SERVER;
			BlockingQueue<Frame> wire = new LinkedBlockingQueue<>();
			daemon(() -> read(up ? this.client : this.upstream, wire), up ? "proxy-up-in" : "proxy-down-in");
			daemon(() -> forward(wire, up ? this.upstream : this.client, direction),
					up ? "proxy-up-out" : "proxy-down-out");
		}

		private void read(Socket from, BlockingQueue<Frame> wire) {
			try {
				DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
				while (true) {
					byte[] frame = new byte[in.readInt()];
					in.readFully(frame);
					wire.add(new Frame(System.nanoTime() + FaultProxy.this.delayNanos, frame));
				}
			}
			catch (IOException ex) {
				// One side has gone; the other one follows when it has got what was sent.
				wire.add(Frame.END);
			}
		}

		private void forward(BlockingQueue<Frame> wire, Socket to, Direction direction) {
			boolean up = direction == Direction.TO_SERVER;
			try {
				OutputStream out = to.getOutputStream();
				boolean handshake = true;
				for (Frame frame = wire.take(); frame != Frame.END; frame = wire.take()) {
					frame.awaitDue();
					pass(direction, !up && this.heldAnswers.contains(ByteBuffer.wrap(frame.bytes()).getInt()));
					if (to.isClosed()) {
						return;
					}
					if (!handshake && !(up ? sending(frame.bytes()) : answering(frame.bytes()))) {
						return;
					}
					if (handshake || !up || !isSwallowed(FaultProxy.this.swallowed, frame.bytes())) {
						out.write(ByteBuffer.allocate(frame.bytes().length + 4)
							.putInt(frame.bytes().length)
							.put(frame.bytes())
							.array());
					}
					handshake = false;
				}
			}
			catch (IOException ex) {
				// One side has gone; the other one follows.
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				close();
			}
		}

		private static boolean isSwallowed(Set<Integer> types, byte[] request) {
			return types.contains(ByteBuffer.wrap(request).getInt(4));
		}

		private boolean sending(byte[] frame) {
			if (FaultProxy.this.typesOfHeldAnswers.contains(LossRules.type(frame))) {
				this.heldAnswers.add(ByteBuffer.wrap(frame).getInt());
			}
			Optional<LossRules.Loss> hit = FaultProxy.this.rules.hitBy(frame);
			if (hit.isEmpty()) {
				return true;
			}
			if (hit.get().ofRequest()) {
				lose(hit.get());
				return false;
			}
			this.lost.put(ByteBuffer.wrap(frame).getInt(), hit.get());
			return true;
		}

		private boolean answering(byte[] frame) {
			LossRules.Loss hit = this.lost.remove(ByteBuffer.wrap(frame).getInt());
			if (hit == null) {
				return true;
			}
			lose(hit);
			return false;
		}

		private void lose(LossRules.Loss hit) {
			if (hit.thenRefuse()) {
				refuse();
			}
			close();
			hit.done().complete(hit.path());
		}

		private void close() {
			FaultProxy.this.links.remove(this);
			try {
				this.client.close();
				this.upstream.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
