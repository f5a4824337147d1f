package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.benchmarks.run.FailoverResult.Victim;
import io.github.zklock.benchmarks.worker.WorkerMain;
import io.github.zklock.harness.Waiting;

/**
 * One client holds a key, others wait for it; then a process dies: the holder's, or the
 * server that leads, whose clients then release as soon as they can.
 */
final class Failover {

	/** Who is compared. */
	static final List<Contestant> CONTESTANTS = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
			Contestant.CURATOR_SHARED, Contestant.REDISSON_ALWAYS);

	private static final int WAITERS = 3;

	// The shortest that the servers grant by default is 4 s
	private static final int SESSION_MILLIS = 5000;

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	// As in an application that has run for a while: in the first seconds a client knows
	// less of its session
	private static final Duration SESSION_AGE = Duration.ofMillis(SESSION_MILLIS);

	// Redis does not say who waits, and its lease runs
	private static final Duration UNTIL_ALL_WAIT = Duration.ofSeconds(1);

	private final Site site;

	Failover(Site site) {
		this.site = site;
	}

	/**
	 * Kills some holders or leaders, one after the other.
	 * @param contestant what the clients lock with
	 * @param victim who is killed
	 * @return what was seen
	 */
	FailoverResult measure(Contestant contestant, Victim victim) {
		List<FailoverResult.Kill> kills = new ArrayList<>();
		for (int i = 0; i < this.site.plan().further().kills(); i++) {
			kills.add(kill(contestant, victim));
		}
		return new FailoverResult(contestant, this.site.zooKeeper().size(), victim, SESSION_MILLIS, List.copyOf(kills));
	}

	private FailoverResult.Kill kill(Contestant contestant, Victim victim) {
		ZooKeeperServers servers = this.site.zooKeeper();
		Connection connection = this.site.everyServer(contestant, SESSION_MILLIS);
		FailoverResult.Kill kill;
		try (HerdProcesses holders = new HerdProcesses(this.site, contestant, 1, connection);
				HerdProcesses waiters = new HerdProcesses(this.site, contestant, WAITERS, connection)) {
			holders.receive(WorkerMain.OPENED, PATIENCE);
			waiters.receive(WorkerMain.OPENED, PATIENCE);
			holders.send("enter", 0);
			holders.receive("granted", PATIENCE);
			for (int client = 0; client < WAITERS; client++) {
				waiters.send("enter", client);
			}
			if (!contestant.usesRedis()) {
				Waiting.until("all wait", PATIENCE, () -> servers.waiting() == WAITERS);
			}
			Waiting.pause(contestant.usesRedis() ? UNTIL_ALL_WAIT : SESSION_AGE);
			long killed = System.nanoTime();
			if (victim == Victim.HOLDER) {
				holders.kill();
			}
			else {
				servers.killLeader();
				holders.send("release", 0);
			}
			String[] granted = waiters.receive("granted", PATIENCE);
			kill = new FailoverResult.Kill((Long.parseLong(granted[2]) - killed) / 1e6, waiters.refusals());
		}
		servers.mend();
		if (!contestant.usesRedis()) {
			servers.clear(Site.root(contestant));
		}
		return kill;
	}

	/**
	 * Finds out whether a contestant can be measured so.
	 * @param contestant who
	 * @param victim who is killed
	 * @return whether it can: Redis has no leader here, and a single server no successor
	 */
	boolean isPossible(Contestant contestant, Victim victim) {
		return victim == Victim.HOLDER || (!contestant.usesRedis() && this.site.zooKeeper().size() > 2);
	}

}
