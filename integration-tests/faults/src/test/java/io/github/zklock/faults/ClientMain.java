package io.github.zklock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.zookeeper.KeyRule;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.OpenWork;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Contends until it is told {@code stop}; then lets go of everything and tells what is
 * left. Every second lock client holds two keys at a time at most; the others retain what
 * nobody wants.
 */
public final class ClientMain {

	private ClientMain() {
	}

	/**
	 * Contends.
	 * @param args connect string, root, session time-out, number of lock clients, plan,
	 * log, directory of the store, name, seed
	 * @throws Exception if it cannot
	 */
	public static void main(String[] args) throws Exception {
		Path log = Path.of(args[5]);
		List<LockSessions> sessions = new ArrayList<>();
		List<LockClient> clients = new ArrayList<>();
		List<CuratorFramework> curators = new ArrayList<>();
		List<Contention> contentions = new ArrayList<>();
		try (History.Log history = new History.Log(log)) {
			for (int i = 0; i < Integer.parseInt(args[3]); i++) {
				CuratorFramework curator = curator(args[0], Duration.parse(args[2]));
				curators.add(curator);
				LockSessions own = LockSessions.builder(curator).root(args[1]).build();
				sessions.add(own);
				ZooKeeperLockClient.Builder builder = ZooKeeperLockClient.builder(own);
				if (i % 2 == 1) {
					builder.rule(KeyRule.of("*").maxHeld(2));
				}
				else {
					builder.handoff(new Handoff(Handoff.DEFAULT.maxCount(), Handoff.DEFAULT.minDuration(),
							Handoff.DEFAULT.maxDuration(), Duration.ofMillis(20)));
				}
				LockClient client = builder.build();
				clients.add(client);
				contentions.add(new Contention(client, RoundPlan.parse(args[4]), history,
						new FencedStore(Path.of(args[6])), args[7] + "." + i, Long.parseLong(args[8]) + 1000L * i));
			}
			contentions.forEach(Contention::start);
			history.note("READY", args[7]);
			watchMemory(history, args[7]);
			awaitStop();
			history.note("WALL", args[7], Instant.now());
			contentions.forEach(Contention::close);
			history.note("OPEN", args[7], await(() -> clients.stream().mapToInt(OpenWork::of).sum()));
			clients.forEach(LockClient::close);
			history.note("FAILED_STEPS", args[7], sessions.stream().mapToLong(LockSessions::engineFailures).sum());
			sessions.forEach(LockSessions::close);
			curators.forEach(CuratorFramework::close);
			history.note("THREADS", args[7], await(() -> EngineThreads.aliveExcept(Set.of()).size()));
			history.note("END", args[7]);
		}
		System.exit(0);
	}

	static CuratorFramework curator(String connectString, Duration session) {
		CuratorFramework curator = curatorBuilder(connectString, session).build();
		curator.start();
		return curator;
	}

	static CuratorFrameworkFactory.Builder curatorBuilder(String connectString, Duration session) {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) session.toMillis())
			.connectionTimeoutMs(1_000)
			.retryPolicy(new RetryOneTime(50))
			.ensembleTracker(false);
	}

	// What a minute's work has left: KiB of the heap, and threads.
	private static void watchMemory(History.Log history, String name) {
		Thread watch = new Thread(() -> {
			try {
				while (true) {
					TimeUnit.MINUTES.sleep(1);
					System.gc();
					history.note("MEMORY", name,
							ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024,
							ManagementFactory.getThreadMXBean().getThreadCount());
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "memory");
		watch.setDaemon(true);
		watch.start();
	}

	private static void awaitStop() throws IOException {
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		String line = input.readLine();
		if (line == null) {
			Runtime.getRuntime().halt(1);
		}
	}

	// Gives what is counted some time to go.
	private static int await(IntSupplier left) throws InterruptedException {
		long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
		int count = left.getAsInt();
		while (count > 0 && System.nanoTime() - until < 0) {
			TimeUnit.MILLISECONDS.sleep(20);
			count = left.getAsInt();
		}
		return count;
	}

}
