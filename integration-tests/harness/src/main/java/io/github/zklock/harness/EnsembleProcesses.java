package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper servers, each in a JVM of its own, on free ports. They are numbered from 1,
 * in the order of {@link #servers()}.
 */
public final class EnsembleProcesses implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<ServerProcess> servers = new ArrayList<>();

	private final Path directory;

	private @Nullable String credentials;

	private EnsembleProcesses(Path directory) {
		this.directory = directory;
	}

	/**
	 * Starts servers with the settings for tests on the loopback address.
	 * @param size how many
	 * @param options further settings, which win
	 * @return the servers, serving
	 */
	public static EnsembleProcesses start(int size, String... options) {
		return start(Path.of(System.getProperty("java.io.tmpdir")), Host.local(size),
				ServerSettings.forTests().with(options));
	}

	/**
	 * Starts servers with the settings for tests on hosts of their own.
	 * @param hosts where
	 * @param syncLimit after how many ticks without an answer leader and follower part
	 * @param options further settings, which win
	 * @return the servers, serving
	 */
	public static EnsembleProcesses start(List<Host> hosts, int syncLimit, String... options) {
		return start(Path.of(System.getProperty("java.io.tmpdir")), hosts,
				ServerSettings.forTests().with("syncLimit=" + syncLimit).with(options));
	}

	/**
	 * Starts servers with the settings for tests on the loopback address, with links
	 * between them that can be held.
	 * @param size how many
	 * @param links the links, which are opened here
	 * @param options further settings, which win
	 * @return the servers, serving
	 */
	public static EnsembleProcesses start(int size, ServerLinks links, String... options) {
		return start(Path.of(System.getProperty("java.io.tmpdir")), Host.local(size),
				ServerSettings.forTests().with(options), links);
	}

	/**
	 * Starts servers.
	 * @param parent where the directory for their data and logs is made, which is deleted
	 * with them
	 * @param hosts where they run
	 * @param settings how they are set up
	 * @return the servers, serving
	 * @throws IllegalStateException if they do not serve after a minute, or one of them
	 * has ended, with its log; none of them runs then
	 */
	public static EnsembleProcesses start(Path parent, List<Host> hosts, ServerSettings settings) {
		return start(parent, hosts, settings, null);
	}

	private static EnsembleProcesses start(Path parent, List<Host> hosts, ServerSettings settings,
			@Nullable ServerLinks links) {
		EnsembleProcesses ensemble = new EnsembleProcesses(Directories.create(parent, "zookeeper"));
		try {
			ensemble.configure(hosts, settings, links);
			ensemble.servers.forEach(ServerProcess::start);
			ensemble.awaitServing();
		}
		catch (IOException ex) {
			ensemble.close();
			throw new UncheckedIOException(ex);
		}
		catch (RuntimeException ex) {
			ensemble.close();
			throw ex;
		}
		return ensemble;
	}

	private void configure(List<Host> hosts, ServerSettings settings, @Nullable ServerLinks links) throws IOException {
		List<Integer> ports = Ports.free(3 * hosts.size());
		for (int i = 0; i < hosts.size(); i++) {
			Host host = hosts.get(i);
			Path data = Files.createDirectory(this.directory.resolve("server-" + (i + 1)));
			Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
			List<String> lines = new ArrayList<>(settings.configuration());
			lines.add("clientPortAddress=" + host.address());
			lines.add("clientPort=" + ports.get(3 * i));
			lines.add("dataDir=" + data);
			lines.addAll(members(i, hosts, ports, links));
			Path configuration = Files.write(this.directory.resolve("server-" + (i + 1) + ".cfg"), lines);
			this.servers.add(new ServerProcess(i + 1, new InetSocketAddress(host.address(), ports.get(3 * i)),
					configuration, host.launcher(), settings.options()));
		}
	}

	private static List<String> members(int reader, List<Host> hosts, List<Integer> ports,
			@Nullable ServerLinks links) {
		List<String> members = new ArrayList<>();
		for (int i = 0; i < hosts.size() && hosts.size() > 1; i++) {
			String address = hosts.get(i).address();
			InetSocketAddress leader = new InetSocketAddress(address, ports.get(3 * i + 1));
			if (links != null && i != reader) {
				leader = links.open(reader, i, leader);
			}
			members.add("server.%d=%s:%d:%d".formatted(i + 1, address, leader.getPort(), ports.get(3 * i + 2)));
		}
		return members;
	}

	/**
	 * Lets who looks at the tree authenticate.
	 * @param credentials name and password with a colon between them
	 */
	public void lookAs(String credentials) {
		this.credentials = credentials;
	}

	/**
	 * Returns the servers, also those that were killed.
	 * @return the servers in the order of their numbers
	 */
	public List<ServerProcess> servers() {
		return this.servers;
	}

	/**
	 * Returns where all servers are, also those that were killed.
	 * @return addresses, separated by commas
	 */
	public String connectString() {
		return this.servers.stream().map(ServerProcess::connectString).collect(Collectors.joining(","));
	}

	/**
	 * Waits until all servers serve.
	 * @throws IllegalStateException if they do not after a minute, or one of them has
	 * ended, with its log
	 */
	public void awaitServing() {
		try {
			Waiting.until("all servers serve", PATIENCE,
					() -> this.servers.stream().noneMatch((server) -> checkAlive(server).role().isEmpty()));
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException(this.servers.stream()
				.filter((server) -> server.isAlive() && server.role().isEmpty())
				.map((server) -> "%n%s does not, with this log:%n%s".formatted(server, server.log()))
				.collect(Collectors.joining("", ex.getMessage(), "")), ex);
		}
	}

	private static ServerProcess checkAlive(ServerProcess server) {
		if (!server.isAlive()) {
			throw new IllegalStateException("%s has ended:%n%s".formatted(server, server.log()));
		}
		return server;
	}

	/**
	 * Finds the leader, waiting for an election if need be.
	 * @return the leader, or the only server
	 */
	public ServerProcess leader() {
		return Waiting.present("a server leads", PATIENCE,
				() -> this.servers.stream()
					.filter((server) -> server.role().equals("leader") || server.role().equals("standalone"))
					.findFirst());
	}

	/**
	 * Finds the servers that follow.
	 * @return those that serve and do not lead
	 */
	public List<ServerProcess> followers() {
		leader();
		return this.servers.stream().filter((server) -> server.role().equals("follower")).toList();
	}

	/** Starts those again that were killed, and waits until all serve. */
	public void mend() {
		this.servers.stream().filter((server) -> !server.isAlive()).forEach(ServerProcess::start);
		awaitServing();
	}

	/**
	 * Ends a session at the servers, by closing it from elsewhere.
	 * @param victim whose session
	 * @throws IllegalArgumentException if it has none yet
	 */
	public void endSession(ZooKeeper victim) {
		if (victim.getSessionTimeout() == 0) {
			throw new IllegalArgumentException("There is no session to end: " + victim);
		}
		try {
			boolean gone = false;
			while (!gone) {
				gone = !closeIfThere(victim);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	// The victim may have taken it back before the close was handled, which is refused
	// then
	private boolean closeIfThere(ZooKeeper victim) throws IOException, InterruptedException {
		ZooKeeper twin = new ZooKeeper(connectString(), victim.getSessionTimeout(), (event) -> {
		}, victim.getSessionId(), victim.getSessionPasswd());
		Waiting.until("the session was taken over, or is over", PATIENCE,
				() -> twin.getState().isConnected() || !twin.getState().isAlive());
		boolean there = twin.getState().isAlive();
		twin.close();
		return there;
	}

	/**
	 * Asks about the tree, and again when the connection was lost meanwhile.
	 * @param <T> the type of the answer
	 * @param question what to ask on a connection, perhaps several times
	 * @return the answer
	 * @throws KeeperException if a server refuses to answer, or the connection is lost
	 * again and again
	 * @throws InterruptedException if interrupted
	 */
	public <T> T ask(Question<T> question) throws KeeperException, InterruptedException {
		long begun = System.nanoTime();
		while (true) {
			try (ZooKeeper zooKeeper = connect(connectString(), this.credentials)) {
				return question.ask(zooKeeper);
			}
			catch (KeeperException.ConnectionLossException ex) {
				if (System.nanoTime() - begun > PATIENCE.toNanos()) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Finds out who watches something.
	 * @param root at and below which path
	 * @return the ids of the sessions
	 */
	public Set<Long> watchers(String root) {
		Set<Long> sessions = new HashSet<>();
		for (ServerProcess server : this.servers) {
			boolean below = false;
			for (String line : server.ask("wchp").lines().toList()) {
				if (line.startsWith("/")) {
					below = line.equals(root) || line.startsWith(root + "/");
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
	public static ZooKeeper connect(String connectString) {
		return connect(connectString, null);
	}

	/**
	 * Opens a connection that sets no watches and is authenticated.
	 * @param connectString where to
	 * @param credentials name and password with a colon between them; may be null
	 * @return the connection, connected
	 */
	public static ZooKeeper connect(String connectString, @Nullable String credentials) {
		try {
			ZooKeeper zooKeeper = new ZooKeeper(connectString, 20_000, (event) -> {
			});
			if (credentials != null) {
				zooKeeper.addAuthInfo("digest", credentials.getBytes(StandardCharsets.UTF_8));
			}
			Waiting.until("a connection is made", PATIENCE, () -> zooKeeper.getState().isConnected());
			return zooKeeper;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Says what is in the tree.
	 * @param root below which path
	 * @return a line for each node, with its session and data
	 */
	public List<String> describe(String root) {
		List<String> lines = new ArrayList<>();
		try (ZooKeeper zooKeeper = connect(connectString(), this.credentials)) {
			for (String path : ZKUtil.listSubTreeBFS(zooKeeper, root)) {
				Stat stat = new Stat();
				byte[] data = zooKeeper.getData(path, false, stat);
				lines.add("%s 0x%x %s".formatted(path, stat.getEphemeralOwner(),
						(data != null) ? new String(data, StandardCharsets.UTF_8) : ""));
			}
		}
		catch (KeeperException ex) {
			lines.add(ex.toString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			lines.add(ex.toString());
		}
		return lines;
	}

	@Override
	public void close() {
		this.servers.forEach(ServerProcess::close);
		Directories.delete(this.directory);
	}

	/**
	 * What is asked about the tree.
	 *
	 * @param <T> the type of the answer
	 */
	@FunctionalInterface
	public interface Question<T> {

		/**
		 * Asks it.
		 * @param zooKeeper a connection, which is closed later
		 * @return the answer
		 * @throws KeeperException if a server refuses to answer, or the connection is
		 * lost
		 * @throws InterruptedException if interrupted
		 */
		T ask(ZooKeeper zooKeeper) throws KeeperException, InterruptedException;

	}

	/**
	 * Where a server runs.
	 *
	 * @param address its address
	 * @param launcher what comes before its command
	 */
	public record Host(String address, List<String> launcher) {

		/**
		 * Names this machine several times.
		 * @param size how often
		 * @return hosts at the loopback address
		 */
		public static List<Host> local(int size) {
			return Collections.nCopies(size, new Host("127.0.0.1", List.of()));
		}

	}

}
