package io.github.zklock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.github.zklock.LockClient;
import io.github.zklock.LockListener;
import io.github.zklock.fixture.ClientFixture;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.PatientAwaitility;
import io.github.zklock.testing.Residue;
import io.github.zklock.testing.Warnings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Opens clients without a server, and fails the test if anything is left behind.
 */
final class MemoryFixture implements ClientFixture, BeforeEachCallback, AfterEachCallback {

	static {
		PatientAwaitility.setDefaults();
	}

	private final List<Actor> actors = new ArrayList<>();

	private final List<MemoryLockClient> clients = new ArrayList<>();

	private final List<String> announced = new ArrayList<>(List.of("Locks are in memory"));

	private final String root = "/locks-" + UUID.randomUUID();

	private Set<Thread> othersThreads;

	private Warnings warnings;

	@Override
	public void beforeEach(ExtensionContext context) {
		this.othersThreads = Residue.engineThreads();
		this.warnings = new Warnings();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		try {
			this.actors.forEach(Actor::close);
			if (context.getExecutionException().isEmpty()) {
				await("nothing open").atMost(Actor.PATIENCE)
					.untilAsserted(() -> assertThat(this.clients).allMatch((client) -> client.openCount() == 0)
						.allMatch((client) -> client.inspector().keys(0, 1).total() == 0)
						.allMatch((client) -> client.engineFailures() == 0));
			}
			this.clients.forEach(MemoryLockClient::close);
			if (context.getExecutionException().isEmpty()) {
				await("no threads").atMost(Actor.PATIENCE)
					.untilAsserted(() -> assertThat(Residue.threads(this.othersThreads)).isEmpty());
				assertThat(this.warnings.except(this.announced)).isEmpty();
			}
		}
		finally {
			this.clients.forEach(MemoryLockClient::close);
			this.warnings.close();
		}
	}

	/**
	 * Returns what was logged as a warning or error during this test.
	 */
	String warnings() {
		return this.warnings.messages();
	}

	@Override
	public MemorySpec client() {
		return new MemorySpec();
	}

	@Override
	public Actor actor() {
		Actor actor = new Actor("test-actor-" + this.actors.size());
		this.actors.add(actor);
		return actor;
	}

	@Override
	public void announce(String text) {
		this.announced.add(text);
	}

	@Override
	public String root() {
		return this.root;
	}

	@Override
	public void delete(String path) {
		// Nothing outlives its clients.
	}

	@Override
	public void awaitWaiting(AutoCloseable client, String key) {
		await("a waiting contender").atMost(Actor.PATIENCE)
			.until(() -> ((MemoryLockClient) client).inspector()
				.line(key)
				.contenders()
				.stream()
				.anyMatch((contender) -> contender.ours() && !contender.holds()));
	}

	@Override
	public void awaitNothingLeftOf(AutoCloseable client) {
		MemoryLockClient mine = (MemoryLockClient) client;
		await("nothing left").atMost(Actor.PATIENCE).untilAsserted(() -> {
			assertThat(mine.inspector().keys(0, 100).lines()).flatExtracting(LockQueue::contenders)
				.noneMatch(LockQueue.Contender::ours);
			assertThat(mine.openCount()).isZero();
		});
	}

	@Override
	public List<String> contenders(String key) {
		return this.clients.get(0).inspector().line(key).contenders().stream().map(LockQueue.Contender::path).toList();
	}

	@Override
	public List<String> contendersOnNewestServer(String key) {
		return contenders(key);
	}

	@Override
	public LockInspector inspector(LockClient client) {
		return ((MemoryLockClient) client).inspector();
	}

	@Override
	public int openCount(AutoCloseable client) {
		return ((MemoryLockClient) client).openCount();
	}

	/**
	 * Describes a client.
	 */
	final class MemorySpec implements Spec {

		private final MemoryLockClient.Builder builder = MemoryLockClient.builder()
			.root(MemoryFixture.this.root)
			.timeout(Duration.ofSeconds(15));

		@Override
		public MemorySpec strategy(String name) {
			this.builder.strategy(name);
			return this;
		}

		@Override
		public MemorySpec root(String path) {
			this.builder.root(path);
			return this;
		}

		@Override
		public MemorySpec instance(String name) {
			this.builder.instance(name);
			return this;
		}

		@Override
		public MemorySpec timeout(Duration timeout) {
			this.builder.timeout(timeout);
			return this;
		}

		/**
		 * Sets the time-out of some keys.
		 */
		MemorySpec timeout(String pattern, Duration timeout) {
			this.builder.timeout(pattern, timeout);
			return this;
		}

		@Override
		public MemorySpec maxHeld(String pattern, int keys) {
			this.builder.maxHeld(pattern, keys);
			return this;
		}

		@Override
		public MemorySpec listener(LockListener listener) {
			this.builder.listener(listener);
			return this;
		}

		@Override
		public MemoryLockClient open() {
			MemoryLockClient client = this.builder.build();
			MemoryFixture.this.clients.add(client);
			return client;
		}

	}

}
