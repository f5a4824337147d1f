package io.github.zklock.drill;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.springframework.util.FileSystemUtils;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * How many locks a second an ensemble carries, and how many of its writes they cost.
 */
final class Capacity {

	private static final int SESSIONS = 8;

	private static final List<Integer> CALLERS = List.of(1, 8, 64, 256);

	private static final Handoff RETAINED = new Handoff(64, Duration.ofMillis(100), Duration.ofMinutes(1));

	private final EnsembleProcesses ensemble;

	private final Duration warmUp;

	private final Duration duration;

	Capacity(EnsembleProcesses ensemble, Duration warmUp, Duration duration) {
		this.ensemble = ensemble;
		this.warmUp = warmUp;
		this.duration = duration;
	}

	/**
	 * Measures on three servers of its own, and stops them.
	 * @param out for a table
	 * @throws Exception if the servers do not start or answer
	 */
	static void print(PrintStream out) throws Exception {
		Path directory = Files.createTempDirectory("three-by-three");
		try (EnsembleProcesses ensemble = ThreeServers.start(directory)) {
			Capacity capacity = new Capacity(ensemble, Duration.ofSeconds(1), Duration.ofSeconds(3));
			out.println(Row.HEAD);
			for (Kind kind : Kind.values()) {
				for (int callers : CALLERS) {
					out.println(capacity.measure(kind, callers));
				}
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
	}

	/**
	 * Measures what callers do who lock and release without a pause.
	 * @param kind which keys they want
	 * @param callers how many there are
	 * @return what was counted
	 * @throws Exception if the ensemble does not answer
	 */
	Row measure(Kind kind, int callers) throws Exception {
		int sessions = (kind == Kind.ONE_KEY_OF_ONE_INSTANCE) ? 1 : Math.min(SESSIONS, callers);
		List<CuratorFramework> connections = new ArrayList<>();
		List<LockClient> clients = new ArrayList<>();
		try {
			for (int session = 0; session < sessions; session++) {
				CuratorFramework connection = CuratorFrameworkFactory.newClient(this.ensemble.connectString(),
						new RetryOneTime(100));
				connections.add(connection);
				connection.start();
				clients.add(ZooKeeperLockClient.builder(connection).root("/capacity").handoff(kind.handoff).build());
			}
			return measure(kind, callers, (caller) -> clients.get(caller % sessions));
		}
		finally {
			clients.forEach(LockClient::close);
			connections.forEach(CuratorFramework::close);
		}
	}

	private Row measure(Kind kind, int callers, IntFunction<LockClient> clients) throws Exception {
		LongAdder locks = new LongAdder();
		ExecutorService threads = Executors.newFixedThreadPool(callers);
		try {
			for (int number = 0; number < callers; number++) {
				LockClient client = clients.apply(number);
				LockRequest request = LockRequest.exclusive(kind.isOneKey() ? "one" : "key-" + number)
					.timeout(Duration.ofMinutes(1));
				threads.execute(() -> lockUntilInterrupted(client, request, locks));
			}
			Thread.sleep(this.warmUp.toMillis());
			long begun = System.nanoTime();
			long locksBefore = locks.sum();
			long writesBefore = writes();
			Thread.sleep(this.duration.toMillis());
			long writes = writes() - writesBefore;
			long locked = locks.sum() - locksBefore;
			double seconds = (System.nanoTime() - begun) / 1e9;
			return new Row(kind, callers, locked / seconds, writes / seconds);
		}
		finally {
			threads.shutdownNow();
			threads.awaitTermination(1, TimeUnit.MINUTES);
		}
	}

	// The lower half of a zxid counts the transactions since the leader leads
	private long writes() {
		return this.ensemble.leader().zxid() & 0xffff_ffffL;
	}

	private static void lockUntilInterrupted(LockClient client, LockRequest request, LongAdder locks) {
		try {
			while (!Thread.currentThread().isInterrupted()) {
				client.acquire(request).release();
				locks.increment();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Which keys the callers want.
	 */
	enum Kind {

		/**
		 * Each caller one of its own, released at once; without handoffs, because a lock
		 * would linger for a caller who comes back without a pause.
		 */
		OWN_KEYS("own keys", new Handoff(0, Duration.ZERO, Duration.ZERO)),

		/** Each caller one of its own, which its instance keeps. */
		RETAINED_KEYS("own keys, retained", RETAINED),

		/** All the same, in eight instances. */
		ONE_KEY("one key, 8 instances", Handoff.DEFAULT),

		/** All the same, in one instance. */
		ONE_KEY_OF_ONE_INSTANCE("one key, 1 instance", Handoff.DEFAULT);

		private final String title;

		@SuppressWarnings("ImmutableEnumChecker") // a record of a number and durations
		private final Handoff handoff;

		Kind(String title, Handoff handoff) {
			this.title = title;
			this.handoff = handoff;
		}

		boolean isOneKey() {
			return this == ONE_KEY || this == ONE_KEY_OF_ONE_INSTANCE;
		}

	}

	/**
	 * What was counted.
	 *
	 * @param kind which keys were wanted
	 * @param callers by how many
	 * @param locks how many were taken and released in a second
	 * @param writes how many transactions the ensemble wrote in a second
	 */
	record Row(Kind kind, int callers, double locks, double writes) {

		static final String HEAD = """
				| keys | callers | locks/s | writes/s | writes for each lock |
				| --- | --- | --- | --- | --- |""";

		@Override
		public String toString() {
			return "| %s | %,d | %,.0f | %,.0f | %.3f |".formatted(this.kind.title, this.callers, this.locks,
					this.writes, this.writes / this.locks);
		}

	}

}
