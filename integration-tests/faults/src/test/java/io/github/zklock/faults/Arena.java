package io.github.zklock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.awaitility.Awaitility;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.autoconfigure.ZkLockAopAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.zookeeper.OpenWork;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where one test's contest happens: a root of its own on some servers, the logs of all
 * who take part, a fenced store, and clients that are closed in the end.
 */
final class Arena implements AutoCloseable {

	private static final AtomicInteger ROOTS = new AtomicInteger();

	private final EnsembleProcesses servers;

	private final String root = "/arena-" + ROOTS.incrementAndGet();

	private final Path directory;

	private final List<Path> logs = new ArrayList<>();

	private final List<LockClient> clients = new ArrayList<>();

	private final List<CuratorFramework> curators = new ArrayList<>();

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	private final List<ClientProcess> processes = new ArrayList<>();

	private final List<History.Log> open = new ArrayList<>();

	private final List<Contention> contentions = new ArrayList<>();

	Arena(EnsembleProcesses servers) {
		this.servers = servers;
		try {
			this.directory = Files.createTempDirectory("zk-lock-arena");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String root() {
		return this.root;
	}

	Path directory() {
		return this.directory;
	}

	FencedStore store() {
		return new FencedStore(this.directory);
	}

	Path newLog(String name) {
		Path log = this.directory.resolve(name + ".log");
		this.logs.add(log);
		return log;
	}

	CuratorFramework curator(String connectString, Duration session) {
		return curator(ClientMain.curatorBuilder(connectString, session));
	}

	CuratorFramework curator(CuratorFrameworkFactory.Builder builder) {
		CuratorFramework curator = builder.build();
		curator.start();
		this.curators.add(curator);
		return curator;
	}

	/**
	 * Makes what is read next no older than what was written before. A {@code sync} would
	 * not do: a leader answers it before it has applied all that it has committed.
	 * @param curator the connection that reads
	 * @throws Exception if the servers do not answer
	 */
	static void catchUp(CuratorFramework curator) throws Exception {
		curator.transaction().forOperations(curator.transactionOp().check().forPath("/"));
	}

	/**
	 * Opens a lock client in this process.
	 * @param connectString where the servers are
	 * @param session the session time-out
	 * @return the client; it is closed with the arena
	 */
	LockClient client(String connectString, Duration session) {
		return client(curator(connectString, session));
	}

	LockClient client(CuratorFramework curator) {
		return client(curator, (builder) -> {
		});
	}

	LockClient client(CuratorFramework curator, Handoff handoff) {
		return client(curator, (builder) -> builder.handoff(handoff));
	}

	LockClient client(CuratorFramework curator, ACLProvider acls) {
		return client(curator, (builder) -> builder.aclProvider(acls));
	}

	LockClient client(CuratorFramework curator, Consumer<ZooKeeperLockClient.Builder> more) {
		ZooKeeperLockClient.Builder builder = ZooKeeperLockClient.builder(curator).root(this.root);
		more.accept(builder);
		LockClient client = builder.build();
		this.clients.add(client);
		return client;
	}

	/**
	 * Starts an application with the auto-configuration in this process.
	 * @param connectString where the servers are
	 * @param session the session time-out
	 * @param strategy the default strategy
	 * @param beans classes of further beans
	 * @return the application; it is closed with the arena
	 */
	ConfigurableApplicationContext application(String connectString, Duration session, String strategy,
			Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues
			.of("zk-lock.connect-string=" + connectString, "zk-lock.session-timeout=" + session,
					"zk-lock.root=" + this.root, "zk-lock.strategy=" + strategy)
			.applyTo(context);
		context.register(Application.class);
		context.register(beans);
		context.refresh();
		this.applications.add(context);
		this.clients.add(context.getBean(LockClient.class));
		return context;
	}

	/**
	 * Starts workers in this process.
	 * @param client their client
	 * @param name a name for the log
	 * @param plan what they do
	 * @param seed for what is random
	 * @return the workers, at work
	 */
	Contention contend(LockClient client, String name, RoundPlan plan, long seed) {
		History.Log log = new History.Log(newLog(name));
		this.open.add(log);
		Contention contention = new Contention(client, plan, log, store(), name, seed).start();
		this.contentions.add(contention);
		return contention;
	}

	/**
	 * Starts workers in a process of their own.
	 * @param name a name for the log
	 * @param connectString where the servers are
	 * @param session the session time-out
	 * @param number how many lock clients
	 * @param plan what they do
	 * @param seed for what is random
	 * @return the process; it may not have begun yet
	 */
	ClientProcess process(String name, String connectString, Duration session, int number, RoundPlan plan, long seed) {
		return process(name, connectString, session, number, plan, seed, List.of());
	}

	/**
	 * Starts workers in a process of their own, with something before its command.
	 * @param name a name for the log
	 * @param connectString where the servers are
	 * @param session the session time-out
	 * @param number how many lock clients
	 * @param plan what they do
	 * @param seed for what is random
	 * @param launcher what stands before the command
	 * @return the process; it may not have begun yet
	 */
	ClientProcess process(String name, String connectString, Duration session, int number, RoundPlan plan, long seed,
			List<String> launcher) {
		ClientProcess process = ClientProcess.start(this, name, connectString, session, number, plan, seed, launcher);
		this.processes.add(process);
		return process;
	}

	/**
	 * Lets everyone end.
	 */
	void stop() {
		this.contentions.forEach(Contention::stop);
		this.processes.forEach(ClientProcess::stop);
		this.contentions.forEach(Contention::close);
		this.contentions.clear();
		this.processes.forEach(ClientProcess::awaitEnd);
	}

	/**
	 * Waits until the logs tell something.
	 * @param what a name for it
	 * @param condition looks at what they tell
	 */
	void await(String what, Predicate<History> condition) {
		History.Reader reader = new History.Reader();
		Awaitility.await(what)
			.atMost(Duration.ofSeconds(90))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> condition.test(reader.read(written())));
	}

	/**
	 * Waits until each lock client that is at work has entered again.
	 * @param times in how many rounds; more than its workers have under way, so that at
	 * least one of them begins from now on
	 */
	void awaitProgress(int times) {
		awaitProgress(times, Duration.ofSeconds(90));
	}

	void awaitProgress(int times, Duration patience) {
		List<String> clients = Stream
			.concat(this.contentions.stream().map(Contention::name),
					this.processes.stream().flatMap((process) -> process.clients().stream()))
			.toList();
		History.Reader reader = new History.Reader();
		Map<String, Long> before = reader.read(written()).enteredByClient();
		Awaitility.await("all are served").atMost(patience).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
			Map<String, Long> now = reader.read(written()).enteredByClient();
			assertThat(clients).as("those who are not served")
				.filteredOn((client) -> now.getOrDefault(client, 0L) < before.getOrDefault(client, 0L) + times)
				.isEmpty();
		});
	}

	/**
	 * Judges what was logged so far, and prints the figures.
	 * @param what a name for them
	 * @return the judge
	 */
	HistoryChecker judge(String what) {
		HistoryChecker checker = new HistoryChecker(history());
		System.out.println("FIGURES " + what + ": " + checker.summary());
		return checker;
	}

	History history() {
		return History.read(written());
	}

	private List<Path> written() {
		List<Path> all = new ArrayList<>(this.logs);
		all.removeIf(Files::notExists);
		if (Files.exists(store().journal())) {
			all.add(store().journal());
		}
		return all;
	}

	/**
	 * Says who stands in line, for those who look for the cause of a failure, and lets
	 * the processes write their stacks to their output.
	 * @return a line for each node
	 */
	List<String> describe() {
		this.processes.forEach(ClientProcess::writeStacks);
		return this.servers.describe(this.root);
	}

	/**
	 * Looks for what should have gone by now.
	 * @param patience how long it may take to go
	 * @return what is left on the servers and in the clients of this process
	 */
	List<String> residue(Duration patience) {
		return new Remains(this.servers, this.root).after(patience, this::leftHere);
	}

	private List<String> leftHere() {
		List<String> left = new ArrayList<>();
		for (LockClient client : this.clients) {
			if (OpenWork.of(client) != 0) {
				left.add(OpenWork.of(client) + " open in " + client);
			}
			if (OpenWork.engineFailures(client) != 0) {
				left.add(OpenWork.engineFailures(client) + " failed steps in " + client);
			}
		}
		History history = history();
		Stream.of("OPEN", "THREADS", "FAILED_STEPS")
			.flatMap((word) -> history.notes(word).stream())
			.filter((note) -> !note.endsWith(" 0"))
			.forEach(left::add);
		left.addAll(history.notes("BROKEN"));
		return left;
	}

	@Override
	public void close() {
		this.processes.forEach(ClientProcess::close);
		this.applications.forEach(ConfigurableApplicationContext::close);
		this.clients.forEach(LockClient::close);
		this.curators.forEach(CuratorFramework::close);
		this.open.forEach(History.Log::close);
		if (Boolean.getBoolean("arena.keep")) {
			System.out.println("The logs are in " + this.directory);
			return;
		}
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** An application with the auto-configuration and nothing else. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class })
	static class Application {

	}

}
