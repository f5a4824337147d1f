package io.github.zklock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.apache.curator.test.DirectoryUtils;
import org.apache.zookeeper.metrics.impl.DefaultMetricsProvider;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.EphemeralType;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.watch.IWatchManager;
import org.awaitility.Awaitility;

/**
 * ZooKeeper servers in this process, seen from inside. They write their data without
 * waiting for the disk, keep it over {@link #stop()} and {@link #start()}, and stay on
 * their ports.
 */
public abstract class TestServers implements AutoCloseable {

	/** The servers' tick; sessions may be from two ticks to ten minutes long. */
	public static final int TICK_MILLIS = 500;

	static final int MIN_SESSION_MILLIS = 2 * TICK_MILLIS;

	static final int MAX_SESSION_MILLIS = 600_000;

	static {
		System.setProperty("zookeeper.forceSync", "no");
		System.setProperty("zookeeper.preAllocSize", "64");
		System.setProperty("zookeeper.admin.enableServer", "false");
		System.setProperty("zookeeper.4lw.commands.whitelist", "*");
		System.setProperty("zookeeper.jmx.log4j.disable", "true");
		System.setProperty("znode.container.checkIntervalMs", Integer.toString(Integer.MAX_VALUE));
		ServerMetrics.metricsProviderInitialized(new DefaultMetricsProvider());
	}

	private final Path directory = newDirectory();

	/**
	 * Returns the one server that all tests of this JVM share, running.
	 * @return the server
	 */
	public static TestServers one() {
		return Shared.ONE.get();
	}

	/**
	 * Returns the three-server ensemble that all tests of this JVM share, running.
	 * @return the servers
	 */
	public static TestServers three() {
		return Shared.THREE.get();
	}

	/**
	 * Starts a server of the caller's own.
	 * @return the server, running; to be closed
	 */
	public static TestServers startOne() {
		return started(new StandaloneServer());
	}

	/**
	 * Starts a three-server ensemble of the caller's own.
	 * @return the servers, running; to be closed
	 */
	public static TestServers startThree() {
		return started(new EnsembleServers(3));
	}

	private static TestServers started(TestServers servers) {
		servers.start();
		return servers;
	}

	/**
	 * Returns how clients reach the servers.
	 * @return the connect string
	 */
	public abstract String connectString();

	/**
	 * Starts the servers, with the data that they had, and returns when they serve.
	 */
	public abstract void start();

	/**
	 * Stops the servers and cuts all connections; sessions live on in the data.
	 */
	public abstract void stop();

	/**
	 * Returns the servers that serve now.
	 * @return the servers, empty when stopped
	 */
	public abstract List<ZooKeeperServer> running();

	@Override
	public void close() {
		stop();
		try {
			DirectoryUtils.deleteRecursively(this.directory.toFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends a session as the servers do when they have not touched it for too long. The
	 * client finds out when it comes back.
	 * @param session the session's id
	 */
	public void expire(long session) {
		running().get(0).closeSession(session);
	}

	/**
	 * Deletes all empty containers, as the servers do about once a minute. No reaping
	 * happens otherwise.
	 */
	public void reapContainers() {
		ZooKeeperServer server = running().stream()
			.filter((candidate) -> Set.of("standalone", "leader").contains(candidate.getState()))
			.findAny()
			.orElseThrow();
		try {
			new ContainerManager(server.getZKDatabase(),
					(RequestProcessor) field(ZooKeeperServer.class, "firstProcessor", server), Integer.MAX_VALUE,
					Integer.MAX_VALUE)
				.checkContainers();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Returns the nodes at and below a path, as any server has them.
	 * @param root the path
	 * @return the nodes by path
	 */
	public Map<String, Node> nodes(String root) {
		Map<String, Node> nodes = new TreeMap<>();
		trees().forEach((tree) -> collect(tree, root, nodes));
		return nodes;
	}

	/**
	 * Returns the nodes at and below a path, as the server has them that has seen most.
	 * @param root the path
	 * @return the nodes by path
	 */
	public Map<String, Node> nodesOnNewest(String root) {
		Map<String, Node> nodes = new TreeMap<>();
		DataTree newest = trees().stream()
			.max(Comparator.comparingLong((tree) -> tree.lastProcessedZxid))
			.orElseThrow();
		collect(newest, root, nodes);
		return nodes;
	}

	private static void collect(DataTree tree, String path, Map<String, Node> nodes) {
		DataNode node = tree.getNode(path);
		if (node == null) {
			return;
		}
		boolean ephemeral = EphemeralType.get(node.stat.getEphemeralOwner()) == EphemeralType.NORMAL;
		nodes.put(path, new Node(path, ephemeral, node.stat.getEphemeralOwner(), node.stat.getCzxid()));
		List<String> children;
		// As the server does it: its threads change this set meanwhile
		synchronized (node) {
			children = List.copyOf(node.getChildren());
		}
		for (String child : children) {
			collect(tree, path.equals("/") ? "/" + child : path + "/" + child, nodes);
		}
	}

	/**
	 * Returns who watches nodes at and below a path, data and child lists alike.
	 * @param root the path
	 * @return session ids by watched path
	 */
	public Map<String, Set<Long>> watches(String root) {
		Map<String, Set<Long>> watches = new TreeMap<>();
		for (DataTree tree : trees()) {
			for (String kind : List.of("dataWatches", "childWatches")) {
				((IWatchManager) field(DataTree.class, kind, tree)).getWatchesByPath()
					.toMap()
					.forEach((path, sessions) -> {
						if (path.equals(root) || path.startsWith(root + "/")) {
							watches.computeIfAbsent(path, (key) -> new HashSet<>()).addAll(sessions);
						}
					});
			}
		}
		return watches;
	}

	private static Object field(Class<?> type, String name, Object target) {
		try {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field.get(target);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the number of the newest transaction.
	 * @return the zxid
	 */
	public long zxid() {
		return running().stream().mapToLong(ZooKeeperServer::getLastProcessedZxid).max().orElseThrow();
	}

	/**
	 * Returns how many requests the servers have received from clients, pings too.
	 * @return the number
	 */
	public long packetsReceived() {
		return running().stream().mapToLong((server) -> server.serverStats().getPacketsReceived()).sum();
	}

	/**
	 * Waits until no request has come for a moment.
	 * @return the number of requests that the servers have received
	 */
	long packetsAtRest() {
		long[] last = { -1 };
		Awaitility.await().pollInterval(Duration.ofMillis(100)).until(() -> {
			long before = last[0];
			last[0] = packetsReceived();
			return last[0] == before;
		});
		return last[0];
	}

	/**
	 * Returns how many watches the deletion of nodes has fired, on all servers of this
	 * JVM.
	 * @return the number
	 */
	public static long nodeDeletedWatchesFired() {
		return sum(Set.of("sum_node_deleted_watch_count"));
	}

	/**
	 * Returns how many watches anything has fired, on all servers of this JVM.
	 * @return the number
	 */
	public static long watchesFired() {
		return sum(Set.of("sum_node_deleted_watch_count", "sum_node_changed_watch_count",
				"sum_node_children_watch_count", "sum_node_created_watch_count"));
	}

	private static long sum(Set<String> names) {
		long[] sum = { 0 };
		ServerMetrics.getMetrics().getMetricsProvider().dump((name, value) -> {
			if (names.contains(name)) {
				sum[0] += ((Number) value).longValue();
			}
		});
		return sum[0];
	}

	private Collection<DataTree> trees() {
		return running().stream().map((server) -> server.getZKDatabase().getDataTree()).toList();
	}

	Path directory() {
		return this.directory;
	}

	private static Path newDirectory() {
		try {
			return Files.createTempDirectory("zk-lock-servers");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A node.
	 *
	 * @param path its path
	 * @param ephemeral whether it goes with its session
	 * @param owner the session, if ephemeral
	 * @param czxid the transaction that created it
	 */
	public record Node(String path, boolean ephemeral, long owner, long czxid) {
	}

	private static final class Shared {

		static final Lazy ONE = new Lazy(TestServers::startOne);

		static final Lazy THREE = new Lazy(TestServers::startThree);

	}

	private static final class Lazy {

		private final Supplier<TestServers> starter;

		private TestServers servers;

		private Lazy(Supplier<TestServers> starter) {
			this.starter = starter;
		}

		synchronized TestServers get() {
			if (this.servers == null) {
				this.servers = this.starter.get();
				Runtime.getRuntime().addShutdownHook(new Thread(this.servers::close, "test-servers-close"));
			}
			return this.servers;
		}

	}

}
