package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.worker.KeyChoice;
import io.github.zklock.benchmarks.worker.Load;
import io.github.zklock.benchmarks.worker.Use;

/**
 * What is measured: how many processes and threads do what, and who is compared.
 */
public enum Workload {

	/** One client, one key. */
	OWN("own key, 1 client", 1, 1, Load.of(KeyChoice.OWN),
			List.of(Contestant.SEQUENTIAL, Contestant.STRICT, Contestant.NAIVE, Contestant.LIMIT,
					Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL, Contestant.SPRING_INTEGRATION,
					Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC)),

	/** One client, a new key for every lock. */
	FRESH("fresh keys, 1 client", 1, 1, Load.of(KeyChoice.FRESH),
			List.of(Contestant.SEQUENTIAL, Contestant.NAIVE, Contestant.LIMIT, Contestant.CURATOR_PER_CALL,
					Contestant.SPRING_INTEGRATION, Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC)),

	/** Some threads of one process, one key. */
	THREADS_16("one key, 1 JVM x 16 threads", 1, 16, Load.of(KeyChoice.ONE), Contestants.ONE_KEY_ONE_PROCESS),

	/** Many threads of one process, one key. */
	THREADS_64("one key, 1 JVM x 64 threads", 1, 64, Load.of(KeyChoice.ONE), Contestants.ONE_KEY),

	/** Some processes, one key. */
	PROCESSES_4("one key, 4 JVMs x 1 thread", 4, 1, Load.of(KeyChoice.ONE),
			List.of(Contestant.SEQUENTIAL, Contestant.STRICT, Contestant.NAIVE, Contestant.CURATOR_SHARED,
					Contestant.CURATOR_PER_CALL, Contestant.SPRING_INTEGRATION, Contestant.REDISSON_ALWAYS,
					Contestant.REDISSON_EVERYSEC)),

	/** Some processes, one key, servers in another zone. */
	PROCESSES_4_AT_1_MS("one key, 4 JVMs x 1 thread, servers 1 ms away", 4, 1, Load.of(KeyChoice.ONE),
			Contestants.FAR_AWAY),

	/** Some processes, one key, servers in another region. */
	PROCESSES_4_AT_4_MS("one key, 4 JVMs x 1 thread, servers 4 ms away", 4, 1, Load.of(KeyChoice.ONE),
			Contestants.FAR_AWAY),

	/** Some processes of some threads, one key. */
	PROCESSES_4_THREADS_8("one key, 4 JVMs x 8 threads", 4, 8, Load.of(KeyChoice.ONE), Contestants.ONE_KEY_PROCESSES),

	/** Some processes of few threads, one key. */
	PROCESSES_4_THREADS_2("one key, 4 JVMs x 2 threads", 4, 2, Load.of(KeyChoice.ONE), Contestants.SECTIONS),

	/** Some processes of few threads, one key that each holds for a moment. */
	PROCESSES_4_HELD_SHORTLY("one key, held for 0.1 ms, 4 JVMs x 2 threads", 4, 2, Load.of(KeyChoice.ONE).held(100),
			Contestants.SECTIONS),

	/** Some processes of few threads, one key that each holds for a while. */
	PROCESSES_4_HELD("one key, held for 2 ms, 4 JVMs x 2 threads", 4, 2, Load.of(KeyChoice.ONE).held(2000),
			Contestants.SECTIONS),

	/** Some processes of few threads, one key that each holds for about ten writes. */
	PROCESSES_4_HELD_FOR_TEN_WRITES("one key, held for 10 ms, 4 JVMs x 2 threads", 4, 2,
			Load.of(KeyChoice.ONE).held(10_000), Contestants.SECTIONS),

	/** Some processes of few threads, one key that each holds for long. */
	PROCESSES_4_HELD_LONG("one key, held for 20 ms, 4 JVMs x 2 threads", 4, 2, Load.of(KeyChoice.ONE).held(20_000),
			Contestants.SECTIONS),

	/** Some processes of few threads that come back soon. */
	PROCESSES_4_THINKING("one key, held for 0.1 ms, 2 ms between, 4 JVMs x 2 threads", 4, 2,
			Load.of(KeyChoice.ONE).held(100).thinking(2000), Contestants.SECTIONS),

	/** Some processes of few threads that come back after a while. */
	PROCESSES_4_THINKING_LONG("one key, held for 2 ms, 20 ms between, 4 JVMs x 2 threads", 4, 2,
			Load.of(KeyChoice.ONE).held(2000).thinking(20_000), Contestants.SECTIONS),

	/** Some processes to which callers come by themselves, one key. */
	OPEN_LOOP("one key, 4 JVMs x 8 threads, open loop", 4, 8, Load.of(KeyChoice.ONE), Contestants.OPEN_LOOP),

	/** Some processes to which callers come by themselves that hold one key shortly. */
	OPEN_LOOP_HELD_SHORTLY("one key, held for 0.1 ms, 4 JVMs x 8 threads, open loop", 4, 8,
			Load.of(KeyChoice.ONE).held(100), Contestants.OPEN_LOOP),

	/** Some processes to which callers come by themselves that hold one key. */
	OPEN_LOOP_HELD("one key, held for 2 ms, 4 JVMs x 8 threads, open loop", 4, 8, Load.of(KeyChoice.ONE).held(2000),
			Contestants.OPEN_LOOP),

	/** Readers and few writers that stay for a while. */
	READ_MOSTLY("90 % READ, 10 % WRITE, held for 0.2 ms, 4 JVMs x 4 threads", 4, 4,
			Load.of(KeyChoice.ONE).reading(90, 200),
			List.of(Contestant.SEQUENTIAL, Contestant.NAIVE, Contestant.CURATOR_READ_WRITE_SHARED,
					Contestant.CURATOR_READ_WRITE_PER_CALL, Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC)),

	/** Readers and very few writers that stay for a while. */
	READ_MOSTLY_95("95 % READ, 5 % WRITE, held for 0.2 ms, 4 JVMs x 4 threads", 4, 4,
			Load.of(KeyChoice.ONE).reading(95, 200),
			List.of(Contestant.SEQUENTIAL, Contestant.STRICT, Contestant.CURATOR_READ_WRITE_SHARED,
					Contestant.CURATOR_READ_WRITE_PER_CALL)),

	/** One client that goes around its own keys and keeps them. */
	RETAIN("8 own keys in turn, 1 client, retain on", 1, 1, Load.of(KeyChoice.OWN).inTurn(8),
			List.of(Contestant.RETAINED, Contestant.SEQUENTIAL, Contestant.CURATOR_SHARED,
					Contestant.CURATOR_PER_CALL)),

	/** Two keys at once that nobody else wants. */
	KEYS_2("2 keys at once, free, 1 client", 1, 1, Load.of(KeyChoice.OWN).atOnce(2), Contestants.SEVERAL_KEYS),

	/** Eight keys at once that nobody else wants. */
	KEYS_8("8 keys at once, free, 1 client", 1, 1, Load.of(KeyChoice.OWN).atOnce(8), Contestants.SEVERAL_KEYS),

	/** Two keys at once that others want too. */
	KEYS_2_WANTED("2 keys at once, wanted by 4 JVMs x 1 thread", 4, 1, Load.of(KeyChoice.ONE).atOnce(2),
			Contestants.SEVERAL_KEYS_WANTED),

	/** One client that takes one of some permits that nobody else wants. */
	PERMITS_OWN("one of 5 permits, own key, 1 client", 1, 1, Load.of(KeyChoice.OWN).permits(5), Contestants.PERMITS),

	/** More threads of one process than permits. */
	PERMITS_THREADS_16("5 permits of one key, 1 JVM x 16 threads", 1, 16, Load.of(KeyChoice.ONE).permits(5),
			Contestants.PERMITS),

	/** More threads of some processes than permits. */
	PERMITS_PROCESSES_4("5 permits of one key, held for 2 ms, 4 JVMs x 4 threads", 4, 4,
			Load.of(KeyChoice.ONE).permits(5).held(2000), Contestants.PERMITS),

	/** A lock to write that becomes one to read, which nobody else wants. */
	DOWNGRADE("WRITE downgraded to READ, own key, 1 client", 1, 1, Load.of(KeyChoice.OWN).wanting(Use.DOWNGRADE),
			Contestants.READ_WRITE),

	/** A lock to write that becomes one to read, which others want too. */
	DOWNGRADE_WANTED("WRITE downgraded to READ, one key, held for 2 ms, 4 JVMs x 2 threads", 4, 2,
			Load.of(KeyChoice.ONE).wanting(Use.DOWNGRADE).held(2000), Contestants.READ_WRITE),

	/** Two keys with modes of their own that nobody else wants. */
	OWN_MODES("READ of one key and WRITE of another at once, free, 1 client", 1, 1,
			Load.of(KeyChoice.OWN).wanting(Use.READ_AND_WRITE),
			List.of(Contestant.SEQUENTIAL, Contestant.STRICT, Contestant.NAIVE, Contestant.CURATOR_MULTI)),

	/** A job that runs again and again. */
	JOB("a run of a job, not again within 1 ms, own key, 1 client", 1, 1, Load.of(KeyChoice.OWN).wanting(Use.JOB),
			Contestants.JOBS),

	/** A job that has just run. */
	REFUSED_JOB("a job that has just run is refused, own key, 1 client", 1, 1,
			Load.of(KeyChoice.OWN).wanting(Use.REFUSED_JOB), Contestants.JOBS);

	private static final Set<Workload> OPEN_LOOPS = Collections
		.unmodifiableSet(EnumSet.of(OPEN_LOOP, OPEN_LOOP_HELD_SHORTLY, OPEN_LOOP_HELD));

	// What takes long and shows less
	private static final Set<Workload> FURTHER = Collections.unmodifiableSet(
			EnumSet.of(PROCESSES_4_AT_1_MS, PROCESSES_4_THREADS_2, PROCESSES_4_HELD_SHORTLY, PROCESSES_4_HELD_LONG,
					PROCESSES_4_THINKING, PROCESSES_4_THINKING_LONG, OPEN_LOOP, OPEN_LOOP_HELD, DOWNGRADE_WANTED));

	private final String title;

	private final int processes;

	private final int threads;

	@SuppressWarnings("ImmutableEnumChecker") // a record of numbers
	private final Load load;

	@SuppressWarnings("ImmutableEnumChecker") // made by List.of
	private final List<Contestant> contestants;

	Workload(String title, int processes, int threads, Load load, List<Contestant> contestants) {
		this.title = title;
		this.processes = processes;
		this.threads = threads;
		this.load = load;
		this.contestants = contestants;
	}

	/**
	 * Returns whether it is measured if nobody says what is to be measured.
	 * @return whether it is
	 */
	public boolean isUsual() {
		return !FURTHER.contains(this);
	}

	/**
	 * Returns whether callers come by themselves too, at shares of the rate that was
	 * reached without.
	 * @return whether they do
	 */
	public boolean isOpenLoop() {
		return OPEN_LOOPS.contains(this);
	}

	/**
	 * Describes it for people.
	 * @return one line
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Returns how many processes contend.
	 * @return at least one
	 */
	public int processes() {
		return this.processes;
	}

	/**
	 * Returns how many threads each process has.
	 * @return at least one
	 */
	public int threads() {
		return this.threads;
	}

	/**
	 * Returns how far the servers are.
	 * @return how long a request and its answer are under way, apart from what this
	 * machine takes for them
	 */
	public Duration roundTrip() {
		return switch (this) {
			case PROCESSES_4_AT_1_MS -> Duration.ofMillis(1);
			case PROCESSES_4_AT_4_MS -> Duration.ofMillis(4);
			default -> Duration.ZERO;
		};
	}

	/**
	 * Returns what each thread does.
	 * @return the load
	 */
	public Load load() {
		return this.load;
	}

	/**
	 * Returns who is compared.
	 * @return the contestants, ours first, and the other build beside it
	 */
	public List<Contestant> contestants() {
		List<Contestant> all = new ArrayList<>(this.contestants);
		int ours = all.indexOf(Contestant.SEQUENTIAL);
		if (ours >= 0) {
			all.add(ours + 1, Contestant.OTHER_BUILD);
		}
		return all;
	}

	private static final class Contestants {

		private static final List<Contestant> ONE_KEY = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
				Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL, Contestant.SPRING_INTEGRATION,
				Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC);

		private static final List<Contestant> ONE_KEY_PROCESSES = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
				Contestant.NAIVE, Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL, Contestant.SPRING_INTEGRATION,
				Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC);

		private static final List<Contestant> ONE_KEY_ONE_PROCESS = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
				Contestant.FAIR_LOCK, Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL,
				Contestant.SPRING_INTEGRATION, Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC);

		// Redis has another protocol than the proxies know
		private static final List<Contestant> FAR_AWAY = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
				Contestant.NAIVE, Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL);

		private static final List<Contestant> SECTIONS = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
				Contestant.NAIVE, Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL, Contestant.REDISSON_ALWAYS,
				Contestant.REDISSON_EVERYSEC);

		private static final List<Contestant> OPEN_LOOP = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
				Contestant.CURATOR_PER_CALL, Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC);

		private static final List<Contestant> SEVERAL_KEYS = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
				Contestant.LIMIT, Contestant.CURATOR_MULTI, Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC);

		private static final List<Contestant> PERMITS = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
				Contestant.NAIVE, Contestant.CURATOR_SEMAPHORE, Contestant.REDISSON_ALWAYS,
				Contestant.REDISSON_EVERYSEC);

		private static final List<Contestant> READ_WRITE = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
				Contestant.CURATOR_READ_WRITE_SHARED);

		private static final List<Contestant> JOBS = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
				Contestant.NAIVE);

		private static final List<Contestant> SEVERAL_KEYS_WANTED = List.of(Contestant.SEQUENTIAL, Contestant.NAIVE,
				Contestant.CURATOR_MULTI, Contestant.REDISSON_ALWAYS, Contestant.REDISSON_EVERYSEC);

	}

}
