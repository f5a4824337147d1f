package io.github.zklock.faults;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

import org.apache.zookeeper.ZooDefs.OpCode;

/*
 * Two threads for each connection, one for each direction. A direction that is held stops
 * before it forwards the next frame, so that nothing is lost but everything is late, as in
 * a network that is partitioned and heals. The first frame of each direction is the
 * session's handshake and has no header.
 */
/**
 * Stands between clients and a server, understands ZooKeeper's frames, and makes faults.
 */
final class FaultProxy implements AutoCloseable {

	/** Requests that create. A multi counts as the negative of what it begins with. */
	static final Set<Integer> CREATES = Set.of(OpCode.create, OpCode.create2, OpCode.createContainer, -OpCode.create,
			-OpCode.createContainer);

	/** Requests that create a contender's node. */
	static final Set<Integer> ENTRIES = Set.of(OpCode.create2, -OpCode.create, -OpCode.createContainer);

	/** Requests that create a contender's node together with its place. */
	static final Set<Integer> ENTRIES_WITH_PLACE = Set.of(-OpCode.createContainer);

	/** Requests that delete. */
	static final Set<Integer> DELETES = Set.of(OpCode.delete, -OpCode.delete);

	/** Requests that delete a contender's node together with its place. */
	static final Set<Integer> DELETES_WITH_PLACE = Set.of(-OpCode.delete);

	private final ServerSocket listener;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final List<Rule> rules = new CopyOnWriteArrayList<>();

	private final Set<Integer> swallowed = ConcurrentHashMap.newKeySet();

	private final Set<Direction> held = EnumSet.noneOf(Direction.class);

	private volatile InetSocketAddress server;

	private volatile boolean refusing;

	private volatile long delayNanos;

	private volatile boolean closed;

	FaultProxy(InetSocketAddress server) {
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
	String connectString() {
		return "127.0.0.1:%1$d,localhost:%1$d".formatted(this.listener.getLocalPort());
	}

	/**
	 * Leads future connections to another server.
	 * @param other the server
	 */
	void leadTo(InetSocketAddress other) {
		this.server = other;
	}

	/** Cuts all connections that there are. */
	void cut() {
		this.links.forEach(Link::close);
	}

	/** Cuts all connections and accepts no new ones. */
	void refuse() {
		this.refusing = true;
		cut();
	}

	/** Makes no more faults, accepts connections again, and forwards what was held. */
	void heal() {
		this.rules.clear();
		this.swallowed.clear();
		this.refusing = false;
		this.delayNanos = 0;
		synchronized (this.held) {
			this.held.clear();
			this.held.notifyAll();
		}
	}

	/**
	 * Lets requests vanish, and keeps their connections.
	 * @param types the request types
	 */
	void swallow(Set<Integer> types) {
		this.swallowed.addAll(types);
	}

	/**
	 * Forwards nothing any more: a black hole.
	 * @param directions which way
	 */
	void hold(Direction... directions) {
		synchronized (this.held) {
			this.held.addAll(List.of(directions));
		}
	}

	/**
	 * Forwards everything later, each way.
	 * @param delay how much later
	 */
	void delay(Duration delay) {
		this.delayNanos = delay.toNanos();
	}

	/**
	 * Swallows one answer and cuts its connection: the server has handled the request,
	 * and the client does not know.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @return completes when it has happened, with the path of the request
	 */
	CompletableFuture<String> loseAnswer(int number, Set<Integer> types) {
		return rule(number, types, false, false);
	}

	/**
	 * As {@link #loseAnswer}, and accepts no new connections until {@link #heal}.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @return completes when it has happened, with the path of the request
	 */
	CompletableFuture<String> loseAnswerAndRefuse(int number, Set<Integer> types) {
		return rule(number, types, false, true);
	}

	/**
	 * Swallows one request and cuts its connection: the server has never seen it, and the
	 * client does not know.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @return completes when it has happened, with the path of the request
	 */
	CompletableFuture<String> loseRequest(int number, Set<Integer> types) {
		return rule(number, types, true, false);
	}

	private CompletableFuture<String> rule(int number, Set<Integer> types, boolean request, boolean thenRefuse) {
		Rule rule = new Rule(number, types, request, thenRefuse, new CompletableFuture<>());
		this.rules.add(rule);
		return rule.done;
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
		daemon(() -> link.pump(Direction.TO_SERVER), "proxy-up");
		daemon(() -> link.pump(Direction.TO_CLIENT), "proxy-down");
	}

	private void pass(Direction direction) {
		long delay = this.delayNanos;
		if (delay > 0) {
			LockSupport.parkNanos(delay);
		}
		synchronized (this.held) {
			while (this.held.contains(direction) && !this.closed) {
				try {
					this.held.wait();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
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
	enum Direction {

		TO_SERVER, TO_CLIENT

	}

	private static final class Rule {

		private final Set<Integer> types;

		private final boolean request;

		private final boolean thenRefuse;

		private final CompletableFuture<String> done;

		private int number;

		Rule(int number, Set<Integer> types, boolean request, boolean thenRefuse, CompletableFuture<String> done) {
			this.number = number;
			this.types = types;
			this.request = request;
			this.thenRefuse = thenRefuse;
			this.done = done;
		}

		synchronized boolean hits(int type) {
			return this.types.contains(type) && --this.number == 0;
		}

	}

	private record Lost(Rule rule, String path) {
	}

	/** One connection. */
	private final class Link {

		private final Map<Integer, Lost> lost = new ConcurrentHashMap<>();

		private final Socket client;

		private final Socket upstream;

		Link(Socket client, Socket upstream) {
			this.client = client;
			this.upstream = upstream;
		}

		private void pump(Direction direction) {
			boolean up = direction == Direction.TO_SERVER;
			try (DataInputStream in = new DataInputStream((up ? this.client : this.upstream).getInputStream());
					DataOutputStream out = new DataOutputStream((up ? this.upstream : this.client).getOutputStream())) {
				boolean handshake = true;
				while (true) {
					byte[] frame = new byte[in.readInt()];
					in.readFully(frame);
					pass(direction);
					if (!handshake && !(up ? sending(frame) : answering(frame))) {
						return;
					}
					if (!handshake && up && FaultProxy.this.swallowed.contains(ByteBuffer.wrap(frame).getInt(4))) {
						continue;
					}
					handshake = false;
					ByteArrayOutputStream whole = new ByteArrayOutputStream(frame.length + 4);
					new DataOutputStream(whole).writeInt(frame.length);
					whole.write(frame);
					out.write(whole.toByteArray());
					out.flush();
				}
			}
			catch (IOException ex) {
				// One side has gone; the other one follows.
			}
			finally {
				close();
			}
		}

		private boolean sending(byte[] frame) {
			ByteBuffer request = ByteBuffer.wrap(frame);
			int xid = request.getInt();
			int opCode = request.getInt();
			int type = (opCode == OpCode.multi) ? -request.getInt(request.position()) : opCode;
			List<Rule> hit = FaultProxy.this.rules.stream().filter((rule) -> rule.hits(type)).toList();
			if (hit.isEmpty()) {
				return true;
			}
			FaultProxy.this.rules.removeAll(hit);
			Lost loss = new Lost(hit.get(0), (type < 0) ? "" : text(request));
			if (loss.rule().request) {
				lose(loss);
				return false;
			}
			this.lost.put(xid, loss);
			return true;
		}

		private boolean answering(byte[] frame) {
			Lost hit = this.lost.remove(ByteBuffer.wrap(frame).getInt());
			if (hit == null) {
				return true;
			}
			lose(hit);
			return false;
		}

		private void lose(Lost hit) {
			if (hit.rule().thenRefuse) {
				refuse();
			}
			close();
			hit.rule().done.complete(hit.path());
		}

		private static String text(ByteBuffer buffer) {
			byte[] bytes = new byte[buffer.getInt()];
			buffer.get(bytes);
			return new String(bytes, StandardCharsets.UTF_8);
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
