package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.Counters;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.benchmarks.worker.WorkerMain;
import io.github.zklock.harness.Waiting;

/**
 * Many clients wait for one key; one of them has it and releases it, and then waits
 * again, so that there are always as many.
 */
final class Herd {

	/** Who is compared. */
	static final List<Contestant> CONTESTANTS = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
			Contestant.CURATOR_SHARED);

	/** How long the clients may take to do what they are asked for. */
	static final Duration PATIENCE = Duration.ofSeconds(90);

	private final Site site;

	Herd(Site site) {
		this.site = site;
	}

	/**
	 * Measures some releases.
	 * @param contestant what the clients lock with
	 * @param waiters how many wait
	 * @return what was seen
	 */
	HerdResult measure(Contestant contestant, int waiters) {
		ZooKeeperServers servers = this.site.zooKeeper();
		List<HerdResult.Release> releases = new ArrayList<>();
		try (HerdProcesses processes = new HerdProcesses(this.site, contestant, waiters + 1)) {
			for (int i = 0; i < processes.count(); i++) {
				processes.receive(WorkerMain.OPENED);
			}
			for (int client = 0; client <= waiters; client++) {
				processes.send("enter", client);
			}
			String[] granted = processes.receive("granted");
			// The first release warms up
			for (int i = 0; i <= this.site.plan().herdReleases(); i++) {
				int holder = Integer.parseInt(granted[1]);
				Waiting.until("all wait", PATIENCE, () -> servers.waiting() == waiters);
				Counters before = servers.counters();
				processes.send("release", holder);
				String[] released = processes.receive("released");
				granted = processes.receive("granted");
				Waiting.until("all but one wait again", PATIENCE, () -> servers.waiting() == waiters - 1);
				Counters cost = servers.counters().since(before);
				if (i > 0) {
					long nanos = Long.parseLong(granted[2]) - Long.parseLong(released[2]);
					releases.add(new HerdResult.Release(cost.watchEvents(), cost.requests(), cost.transactions(),
							nanos / 1e6));
				}
				processes.send("enter", holder);
			}
			processes.sendClose();
			for (int i = 0; i < processes.count(); i++) {
				processes.receive(WorkerMain.CLOSED);
			}
		}
		servers.clear(Site.root(contestant));
		return new HerdResult(contestant, 0, servers.size(), waiters, List.copyOf(releases));
	}

}
