package io.github.zklock.faults;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.github.zklock.LockClient;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.harness.NetworkHosts;
import io.github.zklock.harness.ServerProcess;
import io.github.zklock.zookeeper.OpenWork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Gives each test an arena on three servers, which all tests of this JVM share, and a
 * proxy to one that follows; fails the test if anything is left behind. Use as an
 * instance field with {@link org.junit.jupiter.api.extension.RegisterExtension}, so that
 * tests may run at the same time.
 */
final class FaultFixture implements BeforeEachCallback, AfterEachCallback {

	private static EnsembleProcesses shared;

	private final Duration session;

	private EnsembleProcesses servers;

	private Arena arena;

	private FaultProxy proxy;

	private FaultFixture(Duration session) {
		this.session = session;
	}

	/**
	 * Creates a fixture.
	 * @param session the session time-out of its clients
	 * @return the fixture
	 */
	static FaultFixture withSessions(Duration session) {
		return new FaultFixture(session);
	}

	/**
	 * Returns the servers that the tests of this JVM share.
	 * @return three servers, serving
	 */
	static synchronized EnsembleProcesses threeServers() {
		if (shared == null) {
			shared = EnsembleProcesses.start(3);
			Runtime.getRuntime().addShutdownHook(new Thread(shared::close, "fault-servers-close"));
		}
		shared.mend();
		return shared;
	}

	/** Skips who calls where there can be no {@link NetworkHosts}, but not in CI. */
	static void assumeNetworkHosts() {
		Assumptions.assumeTrue(NetworkHosts.isAvailable() || "true".equals(System.getenv("CI")),
				"Servers are parted in network namespaces, which need root and the command ip");
	}

	EnsembleProcesses servers() {
		return this.servers;
	}

	Arena arena() {
		return this.arena;
	}

	FaultProxy proxy() {
		return this.proxy;
	}

	/**
	 * Opens a lock client that reaches all servers.
	 * @return the client; it is closed after the test
	 */
	LockClient client() {
		return this.arena.client(this.servers.connectString(), this.session);
	}

	/**
	 * Opens a lock client that reaches one server only, through the proxy.
	 * @return the client; it is closed after the test
	 */
	LockClient clientBehindProxy() {
		return this.arena.client(this.proxy.connectString(), this.session);
	}

	/**
	 * Waits until a lock client that holds nothing waits: until its session has a lock
	 * node, or watches somebody else's.
	 * @param client the client
	 * @throws Exception if the servers cannot be asked
	 */
	void awaitWaits(LockClient client) throws Exception {
		awaitWaitsBelow(client, this.arena.root());
	}

	/**
	 * Waits until a lock client waits for a key that it does not hold: until its session
	 * has a lock node there, or watches somebody else's.
	 * @param client the client, which may hold other keys
	 * @param key a key that needs no encoding
	 * @throws Exception if the servers cannot be asked
	 */
	void awaitWaits(LockClient client, String key) throws Exception {
		awaitWaitsBelow(client, this.arena.root() + "/" + key);
	}

	private void awaitWaitsBelow(LockClient client, String path) throws Exception {
		Remains remains = new Remains(this.servers, path);
		await("it waits").atMost(Duration.ofSeconds(20))
			.until(() -> remains.owners().contains(OpenWork.sessionId(client))
					|| this.servers.watchers(path).contains(OpenWork.sessionId(client)));
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.servers = threeServers();
		this.arena = new Arena(this.servers);
		List<ServerProcess> followers = await("a server follows").pollDelay(Duration.ZERO)
			.atMost(Duration.ofSeconds(20))
			.until(this.servers::followers, (all) -> !all.isEmpty());
		this.proxy = new FaultProxy(followers.get(0).clientAddress());
	}

	@Override
	public void afterEach(ExtensionContext context) {
		boolean failed = context.getExecutionException().isPresent();
		try (FaultProxy lastToClose = this.proxy; Arena firstToClose = this.arena) {
			lastToClose.heal();
			if (failed) {
				firstToClose.describe().forEach(System.out::println);
			}
			else {
				firstToClose.stop();
				assertThat(firstToClose.residue(Duration.ofSeconds(20))).as("what the test left behind").isEmpty();
			}
		}
	}

	/**
	 * Holds that the tests of a class together leave no thread of the engine. Tests that
	 * run at the same time cannot tell each other's threads apart.
	 */
	static final class NoThreadsLeft implements BeforeAllCallback, AfterAllCallback {

		private Set<Thread> known = Set.of();

		@Override
		public void beforeAll(ExtensionContext context) {
			this.known = EngineThreads.alive();
		}

		@Override
		public void afterAll(ExtensionContext context) {
			check(Duration.ofSeconds(20));
		}

		void check(Duration patience) {
			try {
				await().pollDelay(Duration.ZERO)
					.atMost(patience)
					.until(() -> EngineThreads.aliveExcept(this.known).isEmpty());
			}
			catch (ConditionTimeoutException ex) {
				throw new AssertionError("Left behind: " + EngineThreads.aliveExcept(this.known), ex);
			}
		}

	}

}
