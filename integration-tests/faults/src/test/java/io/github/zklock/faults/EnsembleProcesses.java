package io.github.zklock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * ZooKeeper servers, each in a JVM of its own, on free ports.
 */
final class EnsembleProcesses implements AutoCloseable {

	/** The servers' tick. Sessions may be from two ticks to a minute long. */
	static final int TICK_MILLIS = 250;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<ServerProcess> servers = new ArrayList<>();

	private final Path directory;

	private String credentials;

	private EnsembleProcesses(List<Host> hosts, List<String> options, int syncLimit) {
		try {
			this.directory = Files.createTempDirectory("zk-lock-servers");
			List<Integer> ports = freePorts(3 * hosts.size());
			StringBuilder members = new StringBuilder();
			for (int i = 0; i < hosts.size() && hosts.size() > 1; i++) {
				members.append("server.%d=%s:%d:%d%n".formatted(i + 1, hosts.get(i).address(), ports.get(3 * i + 1),
						ports.get(3 * i + 2)));
			}
			for (int i = 0; i < hosts.size(); i++) {
				Host host = hosts.get(i);
				Path data = Files.createDirectory(this.directory.resolve("server-" + (i + 1)));
				Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
				Path configuration = Files.writeString(this.directory.resolve("server-" + (i + 1) + ".cfg"), """
						tickTime=%d
						initLimit=20
						syncLimit=%d
						minSessionTimeout=%d
						maxSessionTimeout=60000
						maxClientCnxns=0
						clientPortAddress=%s
						clientPort=%d
						4lw.commands.whitelist=*
						admin.enableServer=false
						dataDir=%s
						%s
						%s
						""".formatted(TICK_MILLIS, syncLimit, 2 * TICK_MILLIS, host.address(), ports.get(3 * i), data,
						options.stream().filter((option) -> !isJvmOption(option)).collect(Collectors.joining("\n")),
						members));
				List<String> jvm = new ArrayList<>(
						List.of("-Xmx128m", "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=64",
								"-Dzookeeper.jmx.log4j.disable=true", "-Dznode.container.checkIntervalMs=1000000"));
				options.stream().filter(EnsembleProcesses::isJvmOption).forEach(jvm::add);
				this.servers.add(new ServerProcess(new InetSocketAddress(host.address(), ports.get(3 * i)),
						configuration, host.launcher(), jvm));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isJvmOption(String option) {
		return option.startsWith("-");
	}

	/**
	 * Starts servers on the loopback address.
	 * @param size how many
	 * @param options further options of their JVMs, which win, and lines of their
	 * configuration
	 * @return the servers, serving
	 */
	static EnsembleProcesses start(int size, String... options) {
		List<Host> hosts = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			hosts.add(new Host("127.0.0.1", List.of()));
		}
		return start(hosts, 8, options);
	}

	/**
	 * Starts servers on hosts of their own.
	 * @param hosts where
	 * @param syncLimit after how many ticks without an answer leader and follower part
	 * @param options further options of their JVMs, which win, and lines of their
	 * configuration
	 * @return the servers, serving
	 */
	static EnsembleProcesses start(List<Host> hosts, int syncLimit, String... options) {
		EnsembleProcesses ensemble = new EnsembleProcesses(hosts, List.of(options), syncLimit);
		try {
			ensemble.servers.forEach(ServerProcess::start);
			ensemble.awaitServing();
		}
		catch (RuntimeException ex) {
			ensemble.close();
			throw ex;
		}
		return ensemble;
	}

	private static List<Integer> freePorts(int count) throws IOException {
		List<ServerSocket> sockets = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
		}
		List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
		for (ServerSocket socket : sockets) {
			socket.close();
		}
		return ports;
	}

	/**
	 * Lets those who look for leftovers authenticate.
	 * @param credentials name and password with a colon between them
	 */
	void lookAs(String credentials) {
		this.credentials = credentials;
	}

	List<ServerProcess> servers() {
		return this.servers;
	}

	String connectString() {
		return this.servers.stream().map(ServerProcess::connectString).collect(Collectors.joining(","));
	}

	/** Waits until all servers serve. */
	void awaitServing() {
		await("all servers serve").atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> this.servers.stream().noneMatch((server) -> server.role().isEmpty()));
	}

	/**
	 * Finds the leader, waiting for an election if need be.
	 * @return the leader, or the only server
	 */
	ServerProcess leader() {
		return await("a leader").atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> this.servers.stream()
				.filter((server) -> server.role().equals("leader") || server.role().equals("standalone"))
				.findFirst(), (found) -> found.isPresent())
			.orElseThrow();
	}

	/**
	 * Finds the servers that follow.
	 * @return those that serve and do not lead
	 */
	List<ServerProcess> followers() {
		leader();
		return this.servers.stream().filter((server) -> server.role().equals("follower")).toList();
	}

	/** Starts those again that were killed, and waits until all serve. */
	void mend() {
		this.servers.stream().filter((server) -> !server.isAlive()).forEach(ServerProcess::start);
		awaitServing();
	}

	/**
	 * Ends a session at the servers, by closing it from elsewhere.
	 * @param victim whose session
	 */
	void endSession(ZooKeeper victim) {
		try {
			ZooKeeper twin = new ZooKeeper(connectString(), victim.getSessionTimeout(), (event) -> {
			}, victim.getSessionId(), victim.getSessionPasswd());
			await("the session was taken over").atMost(PATIENCE).until(() -> twin.getState().isConnected());
			twin.close();
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Looks for what should have gone by now: nodes below places, ephemeral nodes, and
	 * watches on any server. Waits for it for a while.
	 * @param root where the locks are
	 * @param patience how long it may take to go
	 * @return what is left
	 */
	List<String> leftovers(String root, Duration patience) {
		return leftovers(root, patience, List::of);
	}

	/**
	 * As {@link #leftovers(String, Duration)}, with what is left elsewhere.
	 * @param root where the locks are
	 * @param patience how long it may take to go
	 * @param elsewhere tells what else is left
	 * @return what is left
	 */
	List<String> leftovers(String root, Duration patience, Supplier<List<String>> elsewhere) {
		try (ZooKeeper zooKeeper = connect(connectString(), this.credentials)) {
			List<String> left = new ArrayList<>();
			long until = System.nanoTime() + patience.toNanos();
			do {
				left.clear();
				left.addAll(left(zooKeeper, root));
				left.addAll(elsewhere.get());
				TimeUnit.MILLISECONDS.sleep(left.isEmpty() ? 0 : 100);
			}
			while (!left.isEmpty() && System.nanoTime() - until < 0);
			return left;
		}
		catch (InterruptedException | KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Finds out who watches something.
	 * @param root below which path
	 * @return the ids of the sessions
	 */
	Set<Long> watchers(String root) {
		Set<Long> sessions = new HashSet<>();
		for (ServerProcess server : this.servers) {
			boolean below = false;
			for (String line : server.ask("wchp").lines().toList()) {
				if (line.startsWith("/")) {
					below = line.startsWith(root + "/");
				}
				else if (below && !line.isBlank()) {
					sessions.add(Long.decode(line.trim()));
				}
			}
		}
		return sessions;
	}

	/**
	 * Opens a connection that sets no watches.
	 * @param connectString where to
	 * @return the connection, connected
	 */
	static ZooKeeper connect(String connectString) {
		return connect(connectString, null);
	}

	/**
	 * Opens a connection that sets no watches and is authenticated.
	 * @param connectString where to
	 * @param credentials name and password with a colon between them; may be null
	 * @return the connection, connected
	 */
	static ZooKeeper connect(String connectString, String credentials) {
		try {
			ZooKeeper zooKeeper = new ZooKeeper(connectString, 20_000, (event) -> {
			});
			if (credentials != null) {
				zooKeeper.addAuthInfo("digest", credentials.getBytes(StandardCharsets.UTF_8));
			}
			await("a connection").atMost(PATIENCE).until(() -> zooKeeper.getState().isConnected());
			return zooKeeper;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private List<String> left(ZooKeeper zooKeeper, String root) throws KeeperException, InterruptedException {
		List<String> left = new ArrayList<>();
		try {
			for (String key : zooKeeper.getChildren(root, false)) {
				String place = root + "/" + key;
				for (String child : zooKeeper.getChildren(place, false)) {
					left.add("node " + place + "/" + child);
				}
				if (zooKeeper.getData(place, false, null) != null && isEphemeral(zooKeeper, place)) {
					left.add("node " + place);
				}
			}
		}
		catch (KeeperException.NoNodeException ex) {
			left.addAll(zooKeeper.getEphemerals(root).stream().map((path) -> "node " + path).toList());
		}
		for (ServerProcess server : this.servers) {
			if (server.isAlive()) {
				server.ask("wchp")
					.lines()
					.filter((line) -> line.startsWith(root + "/"))
					.forEach((path) -> left.add("watch on " + path + " at " + server));
			}
		}
		return left;
	}

	/**
	 * Says what is in the tree.
	 * @param root below which path
	 * @return a line for each node, with its session and data
	 */
	List<String> describe(String root) {
		List<String> lines = new ArrayList<>();
		try (ZooKeeper zooKeeper = connect(connectString(), this.credentials)) {
			for (String path : ZKUtil.listSubTreeBFS(zooKeeper, root)) {
				Stat stat = new Stat();
				byte[] data = zooKeeper.getData(path, false, stat);
				lines.add("%s 0x%x %s".formatted(path, stat.getEphemeralOwner(),
						(data != null) ? new String(data, StandardCharsets.UTF_8) : ""));
			}
		}
		catch (InterruptedException | KeeperException ex) {
			lines.add(ex.toString());
		}
		return lines;
	}

	private static boolean isEphemeral(ZooKeeper zooKeeper, String path) throws KeeperException, InterruptedException {
		Stat stat = zooKeeper.exists(path, false);
		return stat != null && stat.getEphemeralOwner() != 0;
	}

	@Override
	public void close() {
		this.servers.forEach(ServerProcess::close);
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Where a server runs.
	 *
	 * @param address its address
	 * @param launcher what stands before its command
	 */
	record Host(String address, List<String> launcher) {
	}

}
