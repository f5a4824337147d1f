package io.github.zklock.benchmarks.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.Counters;
import io.github.zklock.benchmarks.worker.Arbiter;
import io.github.zklock.benchmarks.worker.Assignment;
import io.github.zklock.benchmarks.worker.Load;
import io.github.zklock.benchmarks.worker.Tally;
import io.github.zklock.benchmarks.worker.WorkerMain;
import io.github.zklock.harness.ChildProcess;
import io.github.zklock.harness.Launch;

/**
 * The worker processes of one contestant. They stay from round to round, so that their
 * code is compiled, but connect anew in each.
 */
final class Crew implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Site site;

	private final Contestant contestant;

	private final Arbiter arbiter;

	private final List<ChildProcess> processes = new ArrayList<>();

	private Crew(Site site, Contestant contestant, Arbiter arbiter) {
		this.site = site;
		this.contestant = contestant;
		this.arbiter = arbiter;
	}

	/**
	 * Starts the processes.
	 * @param site where the servers are
	 * @param contestant what they lock with
	 * @param processes how many
	 * @param threads how many threads each
	 * @param load what these do
	 * @param connections where each process connects
	 * @return the crew
	 */
	static Crew start(Site site, Contestant contestant, int processes, int threads, Load load,
			IntFunction<Connection> connections) {
		Path memory = site.plan().work().resolve("memory-" + System.nanoTime());
		Crew crew = new Crew(site, contestant, Arbiter.open(memory));
		for (int i = 0; i < processes; i++) {
			Assignment assignment = new Assignment(contestant, connections.apply(i), i, threads, load, memory);
			crew.processes.add(Launch.java(WorkerMain.class)
				.readingInput()
				.options(List.of("-Xss512k", "-Xmx256m"))
				.options(site.recording(Site.root(contestant).substring(1)))
				.arguments(assignment.toArguments())
				.startAnswering(site.plan().work().resolve("workers.log")));
		}
		return crew;
	}

	/**
	 * Lets it work once.
	 * @param warmUp how long before it counts
	 * @param measured how long it counts
	 * @return what it did
	 * @throws ExclusionViolatedException if two were inside at once
	 */
	Turn turn(Duration warmUp, Duration measured) {
		this.arbiter.reset();
		this.processes.forEach((process) -> process.send("open"));
		this.processes.forEach((process) -> process.receive(WorkerMain.OPENED, PATIENCE));
		Duration clients = clientCpu();
		Duration servers = this.site.serverCpu(this.contestant);
		Counters before = this.site.zooKeeper().counters();
		long start = System.nanoTime() + warmUp.toNanos();
		long stop = start + measured.toNanos();
		this.processes.forEach((process) -> process.send("run " + start + " " + stop));
		Tally tally = Tally.none();
		for (ChildProcess process : this.processes) {
			tally = tally.plus(Tally.parse(process.receive(PATIENCE.plus(warmUp).plus(measured))));
		}
		Counters cost = this.site.zooKeeper().counters().since(before);
		clients = clientCpu().minus(clients);
		servers = this.site.serverCpu(this.contestant).minus(servers);
		this.processes.forEach((process) -> process.send("close"));
		this.processes.forEach((process) -> process.receive(WorkerMain.CLOSED, PATIENCE));
		if (this.arbiter.violations() > 0 || this.arbiter.writes() != tally.writes()) {
			throw new ExclusionViolatedException(
					"%s let two inside at once: seen %d times; %d writes, of which %d were overwritten".formatted(
							this.contestant.title(), this.arbiter.violations(), tally.writes(),
							tally.writes() - this.arbiter.writes()));
		}
		int places = this.contestant.usesRedis() ? 0 : this.site.zooKeeper().clear(Site.root(this.contestant));
		return new Turn(tally.counted().stream().mapToLong(Long::longValue).sum() * 1e9 / measured.toNanos(),
				tally.waits(), tally.longest(), Fairness.of(tally.windows(), this.processes.size()),
				tally.cycles().getValueAtPercentile(50),
				tally.counted().stream().mapToLong(Long::longValue).min().orElseThrow(),
				tally.counted().stream().mapToLong(Long::longValue).max().orElseThrow(),
				(double) cost.requests() / tally.total(), (double) cost.transactions() / tally.total(),
				clients.toNanos() / 1e3 / tally.total(), servers.toNanos() / 1e3 / tally.total(), places);
	}

	private Duration clientCpu() {
		return this.processes.stream().map(ChildProcess::cpu).reduce(Duration.ZERO, Duration::plus);
	}

	@Override
	public void close() {
		this.processes.forEach(ChildProcess::close);
	}

}
