package io.github.zklock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Gives each test a root path of its own on real servers and connections to them, closes
 * what it was given, and fails the test if anything is left behind. Use as an instance
 * field with {@link org.junit.jupiter.api.extension.RegisterExtension}.
 */
public class ServerFixture extends ConnectingFixture implements BeforeEachCallback, AfterEachCallback {

	/** The marks of jobs stay, and are watched as long as their client is open. */
	private static final String MARKS = "/%~jobs";

	private static final AtomicInteger ROOTS = new AtomicInteger();

	static {
		PatientAwaitility.setDefaults();
	}

	private final Supplier<TestServers> source;

	private final List<Actor> actors = new ArrayList<>();

	private final List<String> announced = new ArrayList<>();

	/**
	 * Those below others come before them, because what may not be listed may be deleted.
	 */
	private final Set<String> planted = new TreeSet<>(Comparator.reverseOrder());

	private final String root = "/locks-" + ROOTS.incrementAndGet();

	private Set<Thread> othersThreads;

	private Warnings warnings;

	private TestServers servers;

	/**
	 * Creates a fixture.
	 * @param source gives the servers, at the beginning of each test
	 */
	protected ServerFixture(Supplier<TestServers> source) {
		this.source = source;
	}

	/**
	 * Creates a fixture on the shared single server.
	 * @return the fixture
	 */
	public static ServerFixture onOneServer() {
		return new ServerFixture(TestServers::one);
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		start();
	}

	/**
	 * Does what is done before each test.
	 */
	public final void start() {
		this.servers = this.source.get();
		this.servers.start();
		this.othersThreads = Residue.engineThreads();
		this.warnings = new Warnings();
	}

	@Override
	public TestServers servers() {
		return this.servers;
	}

	/**
	 * Returns the number of the newest transaction, when those of earlier tests are over.
	 * @return the zxid
	 */
	public long zxid() {
		awaitOthersClosed();
		return this.servers.zxid();
	}

	/**
	 * Returns the same as {@link #zxid}, when the sessions of this test are at rest: the
	 * first regular request of one that holds a lock is a transaction too.
	 * @return the zxid
	 */
	public long zxidAtRest() {
		packetsAtRest();
		return this.servers.zxid();
	}

	/**
	 * Waits until the connections of earlier tests are closed and no request has come for
	 * a moment: a session is used as soon as it is there, and its first regular request
	 * may come behind those of its users.
	 * @return the number of requests that the servers have received
	 */
	public long packetsAtRest() {
		awaitOthersClosed();
		return this.servers.packetsAtRest();
	}

	/**
	 * Returns the root path of this test.
	 * @return the path
	 */
	public String root() {
		return this.root;
	}

	/**
	 * Returns the key node.
	 * @param key a key that needs no encoding
	 * @return the path
	 */
	public String keyNode(String key) {
		return this.root + "/" + key;
	}

	/**
	 * Returns the nodes of those who contend for a key.
	 * @param key a key that needs no encoding
	 * @return the paths of the ephemeral nodes at and below its key node
	 */
	public List<String> contenders(String key) {
		return this.servers.nodes(keyNode(key))
			.values()
			.stream()
			.filter(TestServers.Node::ephemeral)
			.map(TestServers.Node::path)
			.toList();
	}

	/**
	 * Returns the same as {@link #contenders}, as the server has it that has seen most.
	 * @param key a key that needs no encoding
	 * @return the paths of the ephemeral nodes at and below its key node
	 */
	public List<String> contendersOnNewestServer(String key) {
		return this.servers.nodesOnNewest(keyNode(key))
			.values()
			.stream()
			.filter(TestServers.Node::ephemeral)
			.map(TestServers.Node::path)
			.toList();
	}

	/**
	 * Counts the watches of those who wait for a key. A holder comes to watch its own
	 * node after a while, which is left out.
	 * @param key a key that needs no encoding
	 * @return the number of watches at and below its key node
	 */
	public long watchers(String key) {
		Map<String, TestServers.Node> nodes = this.servers.nodes(keyNode(key));
		long[] watchers = { 0 };
		this.servers.watches(keyNode(key)).forEach((path, sessions) -> {
			TestServers.Node node = nodes.get(path);
			watchers[0] += sessions.stream().filter((session) -> node == null || session != node.owner()).count();
		});
		return watchers[0];
	}

	/**
	 * Says how much a client has open.
	 * @param client one that was taken over
	 * @return the number of entries in its maps, where that can be known
	 */
	protected int openCount(AutoCloseable client) {
		return 0;
	}

	/**
	 * Makes the servers expire the session of a client.
	 * @param client one that was taken over
	 */
	public void expireSession(AutoCloseable client) {
		this.servers.expire(sessionOf(client));
	}

	/**
	 * Waits until a client waits for a key: its session watches something there.
	 * @param client one that was taken over
	 * @param key a key that needs no encoding
	 */
	public void awaitWaiting(AutoCloseable client, String key) {
		await("a watch of the waiting client").atMost(Actor.PATIENCE)
			.until(() -> this.servers.watches(keyNode(key))
				.values()
				.stream()
				.anyMatch((sessions) -> sessions.contains(sessionOf(client))));
	}

	/**
	 * Waits until a client that has given up, or released, has left nothing, although
	 * others go on: no node, no watch on the servers or in its ZooKeeper handle, nothing
	 * in its maps.
	 * @param client one that was taken over, alone on its connection
	 */
	public void awaitNothingLeftOf(AutoCloseable client) {
		await("nothing left").atMost(Actor.PATIENCE).untilAsserted(() -> {
			long session = sessionOf(client);
			assertThat(this.servers.nodes(this.root).values()).noneMatch((node) -> node.owner() == session);
			assertThat(this.servers.watches(this.root).values()).noneMatch((sessions) -> sessions.contains(session));
			assertThat(Residue.clientWatches(curatorOf(client).getZookeeperClient().getZooKeeper())).isEmpty();
			assertThat(openCount(client)).isZero();
		});
	}

	/**
	 * Has a key node reaped that nobody uses any more. The leader may be the last to see
	 * that its last child has gone.
	 * @param keyNode the path
	 */
	public void reap(String keyNode) {
		await("no " + keyNode).atMost(Actor.PATIENCE).until(() -> {
			this.servers.reapContainers();
			return this.servers.nodes(keyNode).isEmpty();
		});
	}

	/**
	 * Returns a new thread to make blocking calls from; it is ended after the test.
	 * @return the actor
	 */
	public Actor actor() {
		Actor actor = new Actor("test-actor-" + this.actors.size());
		this.actors.add(actor);
		return actor;
	}

	/**
	 * Announces that a warning may be logged.
	 * @param text what the message has in it
	 */
	public void announce(String text) {
		this.announced.add(text);
	}

	/**
	 * Returns what was logged as warning or error during this test.
	 * @return the messages, one after the other
	 */
	public String warnings() {
		return this.warnings.messages();
	}

	/**
	 * Creates a node that is no concern of the engine's; it is deleted after the test.
	 * @param path the path; parents are created as needed
	 * @param mode the kind of node
	 * @return the path created
	 */
	public String plant(String path, CreateMode mode) {
		try {
			String created = anyCurator().create().creatingParentsIfNeeded().withMode(mode).forPath(path);
			this.planted.add(created);
			return created;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Deletes a node, as an operator does.
	 * @param path the path
	 */
	public void delete(String path) {
		try {
			anyCurator().delete().deletingChildrenIfNeeded().forPath(path);
		}
		catch (KeeperException.NoNodeException ex) {
			// Gone already
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void afterEach(ExtensionContext context) {
		boolean failed = context.getExecutionException().isPresent();
		List<String> found = finish(failed ? Duration.ofSeconds(1) : Duration.ofSeconds(8));
		if (!failed) {
			assertThat(found).as("what the test left behind").isEmpty();
		}
	}

	/**
	 * Closes everything.
	 * @param patience how long what was released may take to go
	 * @return what was left
	 */
	public final List<String> finish(Duration patience) {
		Set<String> found = new LinkedHashSet<>();
		try {
			this.servers.start();
			this.actors.forEach(Actor::close);
			this.planted.forEach(this::delete);
			found.addAll(afterAWhile(patience, this::leftWhileOpen));
			clients().keySet().forEach(ServerFixture::close);
			found.addAll(afterAWhile(patience, this::leftWhenClosed));
			found.addAll(this.warnings.except(this.announced));
			delete(this.root);
		}
		finally {
			clients().keySet().forEach(ServerFixture::close);
			closeConnections();
			this.warnings.close();
		}
		return List.copyOf(found);
	}

	private static void close(AutoCloseable client) {
		try {
			client.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private List<String> leftWhileOpen() {
		List<String> found = new ArrayList<>(leftOnServers());
		found.removeIf((left) -> left.contains(MARKS));
		clients().keySet().forEach((client) -> {
			int open = openCount(client);
			if (open != 0) {
				found.add(open + " entries in the maps of " + client);
			}
		});
		return found;
	}

	private List<String> leftWhenClosed() {
		List<String> found = new ArrayList<>(leftWhileOpen());
		found
			.addAll(leftOnServers().stream().filter((left) -> left.contains(MARKS) && left.contains("watch")).toList());
		found.addAll(Residue.threads(this.othersThreads));
		return found;
	}

	private List<String> leftOnServers() {
		List<String> found = new ArrayList<>(Residue.nodes(this.servers, this.root));
		found.addAll(Residue.serverWatches(this.servers, this.root));
		for (CuratorFramework curator : new HashSet<>(clients().values())) {
			try {
				if (curator.getZookeeperClient().isConnected()) {
					found.addAll(Residue.clientWatches(curator.getZookeeperClient().getZooKeeper()));
				}
			}
			catch (Exception ex) {
				found.add("no ZooKeeper handle: " + ex);
			}
		}
		return found;
	}

	private static List<String> afterAWhile(Duration patience, Supplier<List<String>> check) {
		try {
			await().atMost(patience).until(() -> check.get().isEmpty());
			return List.of();
		}
		catch (ConditionTimeoutException ex) {
			return check.get();
		}
	}

}
