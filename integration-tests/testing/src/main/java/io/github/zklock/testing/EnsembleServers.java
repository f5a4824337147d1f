package io.github.zklock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig.ConfigException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.awaitility.core.ConditionTimeoutException;

import static org.awaitility.Awaitility.await;

/**
 * Several servers that elect a leader.
 */
final class EnsembleServers extends TestServers {

	private final List<Integer> clientPorts;

	private final List<Path> configurations = new ArrayList<>();

	private final List<Peer> peers = new CopyOnWriteArrayList<>();

	EnsembleServers(int size) {
		List<Integer> ports = freePorts(3 * size);
		this.clientPorts = ports.subList(0, size);
		String members = IntStream.range(0, size)
			.mapToObj((i) -> "server.%d=127.0.0.1:%d:%d".formatted(i + 1, ports.get(size + i), ports.get(2 * size + i)))
			.collect(Collectors.joining("\n"));
		try {
			for (int i = 0; i < size; i++) {
				Path data = Files.createDirectory(directory().resolve("server-" + (i + 1)));
				Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
				this.configurations.add(Files.writeString(directory().resolve("server-" + (i + 1) + ".cfg"), """
						tickTime=%d
						initLimit=20
						syncLimit=10
						minSessionTimeout=%d
						maxSessionTimeout=%d
						maxClientCnxns=0
						clientPortAddress=127.0.0.1
						clientPort=%d
						dataDir=%s
						%s
						""".formatted(TICK_MILLIS, MIN_SESSION_MILLIS, MAX_SESSION_MILLIS, this.clientPorts.get(i),
						data, members)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<Integer> freePorts(int count) {
		List<ServerSocket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < count; i++) {
				sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
			}
			List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
			for (ServerSocket socket : sockets) {
				socket.close();
			}
			return ports;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String connectString() {
		return this.clientPorts.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
	}

	@Override
	public synchronized void start() {
		if (!this.peers.isEmpty()) {
			return;
		}
		for (Path configuration : this.configurations) {
			Peer peer = new Peer(configuration);
			this.peers.add(peer);
			peer.thread.start();
		}
		try {
			await("all servers serve").atMost(Duration.ofSeconds(60))
				.until(() -> running().size() == this.clientPorts.size());
		}
		catch (ConditionTimeoutException ex) {
			stop();
			throw ex;
		}
	}

	@Override
	public synchronized void stop() {
		this.peers.forEach(Peer::close);
		this.peers.clear();
	}

	@Override
	public List<ZooKeeperServer> running() {
		return this.peers.stream().map(Peer::server).filter((server) -> server != null && server.isRunning()).toList();
	}

	private static final class Peer extends QuorumPeerMain {

		private final Thread thread;

		private Peer(Path configuration) {
			this.thread = new Thread(() -> run(configuration), "test-server-" + configuration.getFileName());
			this.thread.setDaemon(true);
		}

		private void run(Path path) {
			try {
				QuorumPeerConfig configuration = new QuorumPeerConfig();
				configuration.parse(path.toString());
				runFromConfig(configuration);
			}
			catch (IOException | ConfigException | AdminServerException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private ZooKeeperServer server() {
			QuorumPeer peer = this.quorumPeer;
			return (peer != null) ? peer.getActiveServer() : null;
		}

		@Override
		public void close() {
			super.close();
			try {
				this.thread.join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
