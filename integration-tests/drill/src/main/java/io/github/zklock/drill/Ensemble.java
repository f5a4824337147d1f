package io.github.zklock.drill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Three ZooKeeper servers, each in a process of its own, one of which leads.
 */
final class Ensemble implements AutoCloseable {

	private static final int SIZE = 3;

	private static final Duration ELECTION = Duration.ofMinutes(1);

	private final List<Server> servers = new ArrayList<>();

	private Ensemble() {
	}

	static Ensemble start(Path directory) throws Exception {
		Ensemble ensemble = new Ensemble();
		try {
			ensemble.startServers(directory);
			Waiting.until("all servers serve", ELECTION,
					() -> ensemble.allServe() ? ensemble.leader() : Optional.empty());
			return ensemble;
		}
		catch (Exception ex) {
			ensemble.close();
			throw ex;
		}
	}

	private void startServers(Path directory) throws IOException {
		List<Integer> ports = Ports.free(3 * SIZE);
		String members = IntStream.range(0, SIZE)
			.mapToObj((i) -> "server.%d=127.0.0.1:%d:%d".formatted(i + 1, ports.get(SIZE + i), ports.get(2 * SIZE + i)))
			.collect(Collectors.joining("\n"));
		for (int number = 1; number <= SIZE; number++) {
			int port = ports.get(number - 1);
			Path data = Files.createDirectory(directory.resolve("server-" + number));
			Files.writeString(data.resolve("myid"), Integer.toString(number));
			Path configuration = Files.writeString(directory.resolve("server-" + number + ".cfg"), """
					tickTime=500
					initLimit=40
					syncLimit=20
					maxClientCnxns=0
					admin.enableServer=false
					clientPortAddress=127.0.0.1
					clientPort=%d
					dataDir=%s
					%s
					""".formatted(port, data, members));
			this.servers.add(Server.start(number, port, configuration, directory.resolve("server-" + number + ".log")));
		}
	}

	private boolean allServe() throws IOException {
		for (Server server : this.servers) {
			if (!server.jvm().isAlive()) {
				throw new IOException("Server %d ended:%n%s".formatted(server.number(), server.jvm().log()));
			}
			if (server.mode().isEmpty()) {
				return false;
			}
		}
		return true;
	}

	private Optional<Server> leader() {
		return this.servers.stream().filter((server) -> server.mode().equals("leader")).findFirst();
	}

	/**
	 * Waits until a server leads.
	 * @return the leader
	 * @throws Exception if there is none for a minute
	 */
	Server awaitLeader() throws Exception {
		return Waiting.until("a server leads", ELECTION, this::leader);
	}

	/**
	 * Counts what was written since the leader leads.
	 * @return the number of transactions
	 * @throws Exception if there is no leader for a minute
	 */
	long writes() throws Exception {
		return awaitLeader().writes();
	}

	/**
	 * Returns where all servers are, also those that were killed.
	 * @return addresses, separated by commas
	 */
	String connectString() {
		return this.servers.stream().map((server) -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","));
	}

	@Override
	public void close() throws InterruptedException {
		for (Server server : this.servers) {
			server.jvm().close();
		}
	}

}
