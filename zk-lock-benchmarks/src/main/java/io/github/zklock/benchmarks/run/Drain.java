package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.CountingSocket;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.Counters;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.benchmarks.worker.WorkerMain;
import io.github.zklock.harness.Waiting;

/**
 * Many sessions queue for one key behind a holder; then each releases as soon as it was
 * granted, until all were.
 */
final class Drain {

	/** Who is compared. */
	static final List<Contestant> CONTESTANTS = List.of(Contestant.SEQUENTIAL, Contestant.CURATOR_SHARED);

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	// Each that enters reads a list; all lists at once would not fit into a server
	private static final int AT_ONCE = 100;

	private final Site site;

	Drain(Site site) {
		this.site = site;
	}

	/**
	 * Measures.
	 * @param contestant what the sessions lock with
	 * @param wanted how many sessions are to queue
	 * @return what was seen, of fewer sessions if the machine has no threads for more
	 */
	DrainResult measure(Contestant contestant, int wanted) {
		int waiters = Math.min(wanted, SessionCapacity.bearable());
		ZooKeeperServers servers = this.site.zooKeeper();
		DrainResult result;
		try (HerdProcesses processes = new HerdProcesses(this.site, contestant, waiters + 1, CountingSocket.OPTION)) {
			for (int i = 0; i < processes.count(); i++) {
				processes.receive(WorkerMain.OPENED, PATIENCE);
			}
			processes.send("enter", 0);
			processes.receive("granted", PATIENCE);
			long before = processes.bytesRead();
			for (int client = 1; client <= waiters; client++) {
				processes.send("enter", client);
				int entered = client;
				if (client % AT_ONCE == 0 || client == waiters) {
					Waiting.until("all wait", PATIENCE, () -> servers.waiting() == entered);
				}
			}
			long queued = processes.bytesRead();
			Counters counted = servers.counters();
			// An order to release that comes before the grant is obeyed at once
			for (int client = waiters; client >= 0; client--) {
				processes.send("release", client);
			}
			List<Moment> moments = new ArrayList<>();
			moments.add(moment(processes.receive("released", PATIENCE), false));
			for (int i = 0; i < waiters; i++) {
				moments.add(moment(processes.receive("granted", PATIENCE), true));
				moments.add(moment(processes.receive("released", PATIENCE), false));
			}
			Waiting.until("nobody waits", PATIENCE, () -> servers.waiting() == 0);
			Counters cost = servers.counters().since(counted);
			result = DrainResult.of(contestant, servers.size(), wanted, moments, cost.watchEvents(), queued - before,
					processes.bytesRead() - queued);
			processes.sendClose();
			for (int i = 0; i < processes.count(); i++) {
				processes.receive(WorkerMain.CLOSED, PATIENCE);
			}
		}
		servers.clear(Site.root(contestant));
		return result;
	}

	private static Moment moment(String[] words, boolean granted) {
		return new Moment(Long.parseLong(words[2]), granted);
	}

	/**
	 * When a lock was granted or released.
	 *
	 * @param nanos when, by a clock that all processes share
	 * @param granted whether it was granted
	 */
	record Moment(long nanos, boolean granted) {

	}

}
