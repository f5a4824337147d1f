package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.Counters;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.benchmarks.worker.HerdMain;
import io.github.zklock.benchmarks.worker.WorkerMain;
import io.github.zklock.harness.Waiting;

/**
 * Many clients wait for one of some permits; one that has one releases it, and then waits
 * again, so that there are always as many.
 */
final class PermitHerd {

	/** How many permits there are. */
	static final int PERMITS = 5;

	/** Who is compared. */
	static final List<Contestant> CONTESTANTS = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
			Contestant.CURATOR_SEMAPHORE);

	// Servers do not say who watches a list, so it is over when nothing happens any more
	private static final Duration QUIET = Duration.ofMillis(500);

	private final Site site;

	PermitHerd(Site site) {
		this.site = site;
	}

	/**
	 * Measures some releases.
	 * @param contestant what the clients take permits with
	 * @param waiters how many wait
	 * @return what was seen
	 */
	HerdResult measure(Contestant contestant, int waiters) {
		ZooKeeperServers servers = this.site.zooKeeper();
		List<HerdResult.Release> releases = new ArrayList<>();
		int clients = waiters + PERMITS;
		try (HerdProcesses processes = new HerdProcesses(this.site, contestant, clients,
				"-D" + HerdMain.PERMITS + "=" + PERMITS)) {
			for (int i = 0; i < processes.count(); i++) {
				processes.receive(WorkerMain.OPENED);
			}
			for (int client = 0; client < clients; client++) {
				processes.send("enter", client);
			}
			List<String[]> granted = new ArrayList<>();
			for (int i = 0; i < PERMITS; i++) {
				granted.add(processes.receive("granted"));
			}
			// The first release warms up
			for (int i = 0; i <= this.site.plan().herdReleases(); i++) {
				int holder = Integer.parseInt(granted.remove(0)[1]);
				Counters before = awaitQuiet(servers);
				processes.send("release", holder);
				long released = Long.parseLong(processes.receive("released")[2]);
				String[] next = processes.receive("granted");
				granted.add(next);
				Counters cost = awaitQuiet(servers).since(before);
				if (i > 0) {
					releases.add(new HerdResult.Release(cost.watchEvents() + cost.otherWatchEvents(), cost.requests(),
							cost.transactions(), (Long.parseLong(next[2]) - released) / 1e6));
				}
				processes.send("enter", holder);
			}
			processes.sendClose();
			for (int i = 0; i < processes.count(); i++) {
				processes.receive(WorkerMain.CLOSED);
			}
		}
		servers.clear(Site.root(contestant));
		return new HerdResult(contestant, PERMITS, servers.size(), waiters, List.copyOf(releases));
	}

	private static Counters awaitQuiet(ZooKeeperServers servers) {
		long until = System.nanoTime() + Herd.PATIENCE.toNanos();
		Counters seen = servers.counters();
		while (true) {
			Waiting.pause(QUIET);
			Counters now = servers.counters();
			Counters since = now.since(seen);
			if (since.transactions() == 0 && since.watchEvents() + since.otherWatchEvents() == 0) {
				return now;
			}
			if (System.nanoTime() - until > 0) {
				throw new IllegalStateException("The servers do not come to rest: " + since);
			}
			seen = now;
		}
	}

}
