package io.github.zklock.benchmarks.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * code is compiled, but connect again in each.
 */
final class Crew implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	// The compiler's threads stay, and with them the time that they have used
	private static final List<String> OPTIONS = List.of("-Xss512k", "-Xmx256m",
			"-XX:-UseDynamicNumberOfCompilerThreads");

	private final Site site;

	private final Contestant contestant;

	private final Arbiter arbiter;

	private final List<ChildProcess> processes = new ArrayList<>();

	// How many locks each process was granted so far
	private final Map<ChildProcess, Long> granted = new HashMap<>();

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
				.options(OPTIONS)
				.options(site.build(contestant))
				.options(site.recording(Site.root(contestant).substring(1)))
				.arguments(assignment.toArguments())
				.startAnswering(site.plan().work().resolve("workers.log")));
		}
		return crew;
	}

	/**
	 * Lets all processes contend as fast as they can, until they are warm. What is
	 * measured for a certain time would find those cold that are granted few locks in it.
	 * Those that keep a key for themselves for hundreds of locks pass it on after two for
	 * most of that time, so that what passes it to another process gets warm as well.
	 * @param heat when they are warm
	 */
	void heat(Heat heat) {
		if (heat.isEnough(coldest(), 0, 0)) {
			return;
		}
		Duration briefly = (this.contestant.handsOff() && this.processes.size() > 1) ? heat.brieflyAtMost()
				: Duration.ZERO;
		if (!briefly.isZero()) {
			heat(WorkerMain.OPEN_BRIEFLY, heat, briefly);
		}
		heat(WorkerMain.OPEN, heat, heat.atMost().minus(briefly));
	}

	/**
	 * Lets all processes contend in one way, in sessions that are as short as a turn:
	 * what they do only when they connect, and when they end, is compiled with the rest.
	 * Without that the code of a turn would be thrown away as soon as the turn begins,
	 * because it was optimized for sessions that go on.
	 * @param order how they connect
	 * @param heat when they are warm
	 * @param atMost how long that may take
	 * @return what they did
	 */
	Tally heat(String order, Heat heat, Duration atMost) {
		long end = System.nanoTime() + atMost.toNanos();
		Tally sum = Tally.none();
		boolean warm = false;
		for (long now = System.nanoTime(); !warm && now - end < 0; now = System.nanoTime()) {
			open(order);
			Duration clients = clientCpu();
			Tally tally = run("heat " + (System.nanoTime() + Heat.SESSION.toNanos()), Heat.SESSION);
			warm = heat.isEnough(coldest(), tally.compilerNanos(), clientCpu().minus(clients).toNanos());
			disconnect();
			check(tally);
			clear();
			sum = sum.plus(tally);
		}
		return sum;
	}

	/**
	 * Counts the locks of the process that was granted the fewest so far.
	 * @return the number of its locks
	 */
	long coldest() {
		return this.processes.stream()
			.mapToLong((process) -> this.granted.getOrDefault(process, 0L))
			.min()
			.orElseThrow();
	}

	/**
	 * Lets it work once.
	 * @param warmUp how long before it counts
	 * @param measured how long it counts
	 * @return what it did
	 * @throws ExclusionViolatedException if two were inside at once
	 */
	Turn turn(Duration warmUp, Duration measured) {
		return turn("run", "", warmUp, measured);
	}

	/**
	 * Lets callers come once, whether or not earlier ones were served.
	 * @param warmUp how long before it counts
	 * @param measured how long it counts
	 * @param perSecond how many callers come in a second to all processes
	 * @return what it did; the waits are counted from when the callers came
	 * @throws ExclusionViolatedException if two were inside at once
	 */
	Turn serve(Duration warmUp, Duration measured, double perSecond) {
		return turn("serve", " " + perSecond / this.processes.size(), warmUp, measured);
	}

	private Turn turn(String order, String more, Duration warmUp, Duration measured) {
		open(WorkerMain.OPEN);
		Duration clients = clientCpu();
		Duration servers = this.site.serverCpu(this.contestant);
		long allocated = this.site.zooKeeper().allocatedBytes();
		Counters before = this.site.zooKeeper().counters();
		long start = System.nanoTime() + warmUp.toNanos();
		long stop = start + measured.toNanos();
		Tally tally = run(order + " " + start + " " + stop + more, warmUp.plus(measured));
		Counters cost = this.site.zooKeeper().counters().since(before);
		allocated = this.site.zooKeeper().allocatedBytes() - allocated;
		clients = clientCpu().minus(clients);
		servers = this.site.serverCpu(this.contestant).minus(servers);
		disconnect();
		check(tally);
		int places = clear();
		return new Turn(tally.counted().stream().mapToLong(Long::longValue).sum() * 1e9 / measured.toNanos(),
				tally.waits(), tally.writerWaits(), tally.longest(),
				Fairness.of(tally.windows(), this.processes.size()), tally.cycles().getValueAtPercentile(50),
				tally.counted().stream().mapToLong(Long::longValue).min().orElseThrow(),
				tally.counted().stream().mapToLong(Long::longValue).max().orElseThrow(),
				(double) cost.requests() / tally.total(), (double) cost.transactions() / tally.total(),
				clients.toNanos() / 1e3 / tally.total(), tally.compilerNanos() / 1e3 / tally.total(),
				servers.toNanos() / 1e3 / tally.total(), (double) tally.allocatedBytes() / tally.total(),
				(double) allocated / tally.total(), places);
	}

	private void open(String order) {
		this.arbiter.reset();
		this.processes.forEach((process) -> process.send(order));
		this.processes.forEach((process) -> process.receive(WorkerMain.OPENED, PATIENCE));
	}

	private Tally run(String order, Duration time) {
		this.processes.forEach((process) -> process.send(order));
		Tally sum = Tally.none();
		for (ChildProcess process : this.processes) {
			Tally tally = Tally.parse(process.receive(PATIENCE.plus(time)));
			this.granted.merge(process, tally.total(), Long::sum);
			sum = sum.plus(tally);
		}
		return sum;
	}

	private void disconnect() {
		this.processes.forEach((process) -> process.send("close"));
		this.processes.forEach((process) -> process.receive(WorkerMain.CLOSED, PATIENCE));
	}

	private void check(Tally tally) {
		if (this.arbiter.violations() > 0 || this.arbiter.writes() != tally.writes()) {
			throw new ExclusionViolatedException(
					"%s let two inside at once: seen %d times; %d writes, of which %d were overwritten".formatted(
							this.contestant.title(), this.arbiter.violations(), tally.writes(),
							tally.writes() - this.arbiter.writes()));
		}
	}

	private int clear() {
		return this.contestant.usesRedis() ? 0 : this.site.zooKeeper().clear(Site.root(this.contestant));
	}

	private Duration clientCpu() {
		return this.processes.stream().map(ChildProcess::cpu).reduce(Duration.ZERO, Duration::plus);
	}

	@Override
	public void close() {
		this.processes.forEach(ChildProcess::close);
	}

}
