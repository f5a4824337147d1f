package io.github.zklock.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * ZooKeeper servers, each in a JVM of its own, which force every transaction to the disk.
 * Empty containers stay, so that they can be counted.
 */
public final class ZooKeeperServers implements AutoCloseable {

	/** The longest session that they grant. */
	public static final int MAX_SESSION_MILLIS = 300_000;

	private final List<ServerProcess> servers = new ArrayList<>();

	private ZooKeeperServers() {
	}

	/**
	 * Starts servers.
	 * @param size how many
	 * @param directory where their data goes
	 * @param options further options of their JVMs
	 * @return the servers, serving
	 */
	public static ZooKeeperServers start(int size, Path directory, List<String> options) {
		ZooKeeperServers ensemble = new ZooKeeperServers();
		try {
			List<Integer> ports = Ports.free(3 * size);
			StringBuilder members = new StringBuilder();
			for (int i = 0; i < size && size > 1; i++) {
				members
					.append("server.%d=127.0.0.1:%d:%d%n".formatted(i + 1, ports.get(3 * i + 1), ports.get(3 * i + 2)));
			}
			Files.createDirectories(directory);
			for (int i = 0; i < size; i++) {
				ensemble.servers.add(start(Files.createTempDirectory(directory, "server"), i + 1, ports.get(3 * i),
						members.toString(), options));
			}
			Patience.await("all servers serve",
					() -> ensemble.servers.stream().noneMatch((server) -> server.role().isEmpty()));
			// Clients come to followers first, as most do in a real ensemble
			ensemble.servers.sort(Comparator.comparing((server) -> server.role().equals("leader")));
			ensemble.servers.forEach(ServerProcess::calibrate);
			return ensemble;
		}
		catch (IOException ex) {
			ensemble.close();
			throw new UncheckedIOException(ex);
		}
		catch (RuntimeException ex) {
			ensemble.close();
			throw ex;
		}
	}

	private static ServerProcess start(Path directory, int id, int port, String members, List<String> options)
			throws IOException {
		Files.writeString(directory.resolve("myid"), Integer.toString(id));
		Path configuration = Files.writeString(directory.resolve("zoo.cfg"), """
				tickTime=2000
				initLimit=10
				syncLimit=5
				maxSessionTimeout=%d
				maxClientCnxns=0
				clientPortAddress=127.0.0.1
				clientPort=%d
				4lw.commands.whitelist=mntr,srvr
				admin.enableServer=false
				dataDir=%s
				%s
				""".formatted(MAX_SESSION_MILLIS, port, directory, members));
		List<String> jvm = new ArrayList<>(List.of("-Xmx512m", "-Dzookeeper.jmx.log4j.disable=true",
				"-Dznode.container.checkIntervalMs=100000000"));
		jvm.addAll(options);
		return new ServerProcess(port,
				JavaProcess.start(ServerMain.class, jvm, List.of(configuration.toString()), directory.resolve("log")));
	}

	/**
	 * Returns how many they are.
	 * @return the number of servers
	 */
	public int size() {
		return this.servers.size();
	}

	/**
	 * Tells where a client process should connect: to one server, the same in every
	 * round, so that all contestants have the same way to the leader.
	 * @param process the number of the process, from 0
	 * @return the connect string
	 */
	public String connectString(int process) {
		return this.servers.get(process % this.servers.size()).connectString();
	}

	/**
	 * Adds up what all of them have counted.
	 * @return the sum; of the transactions the newest
	 */
	public Counters counters() {
		Counters sum = new Counters(0, 0, 0);
		for (ServerProcess server : this.servers) {
			Counters one = server.counters();
			sum = new Counters(sum.requests() + one.requests(), Math.max(sum.transactions(), one.transactions()),
					sum.watchEvents() + one.watchEvents());
		}
		return sum;
	}

	/**
	 * Tells how much time of the processors all of them have used so far.
	 * @return the sum
	 */
	public Duration cpu() {
		return this.servers.stream().map(ServerProcess::cpu).reduce(Duration.ZERO, Duration::plus);
	}

	/**
	 * Counts the watches of all clients.
	 * @return the number of watches
	 */
	public long watches() {
		return this.servers.stream().mapToLong(ServerProcess::watches).sum();
	}

	/**
	 * Deletes a node and everything below it.
	 * @param root its path
	 * @return how many nodes stood directly below it
	 */
	public int clear(String root) {
		CountDownLatch connected = new CountDownLatch(1);
		try (ZooKeeper zooKeeper = new ZooKeeper(connectString(0), 30_000, (event) -> {
			if (event.getState() == KeeperState.SyncConnected) {
				connected.countDown();
			}
		})) {
			if (!connected.await(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("No connection to " + connectString(0));
			}
			zooKeeper.sync(root);
			return clear(zooKeeper, root);
		}
		catch (IOException | KeeperException ex) {
			throw new IllegalStateException("Could not clear " + root, ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private static int clear(ZooKeeper zooKeeper, String root) throws KeeperException, InterruptedException {
		if (zooKeeper.exists(root, false) == null) {
			return 0;
		}
		int children = zooKeeper.getChildren(root, false).size();
		if (!ZKUtil.deleteRecursive(zooKeeper, root, 500)) {
			throw new IllegalStateException("Could not clear " + root);
		}
		return children;
	}

	@Override
	public void close() {
		this.servers.forEach(ServerProcess::close);
	}

}
