package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.faults.HistoryChecker.Overlap;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.harness.FaultProxy.Direction;
import io.github.zklock.harness.NetworkHosts;
import io.github.zklock.harness.ServerLinks;
import io.github.zklock.harness.ServerProcess;
import io.github.zklock.harness.ServerSettings;
import io.github.zklock.harness.SilentSessions;
import io.github.zklock.harness.Waiting;
import io.github.zklock.zookeeper.LeaseRule;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Case 4, between the servers: a leader that has not heard of a session expires it, while
 * its client still gets answers. They must not make a lease. Clients whose lease comes by
 * another rule must be caught. {@code -Dparted.trials=40} makes that many trials with
 * each rule, {@code -Dparted.each=true} prints each.
 */
@Tag("slow")
class PartedLinkIT {

	/*-
	 * In each trial A has been idle on a follower for longer than its session time-out; a
	 * fault begins; A asks for a lock, and B, on the other follower, 40 ms later. The leader
	 * accepts A's node, does not hear of A, expires it, and B is granted. Then A gets the
	 * answer to its create. Both hold on for seconds: who releases at once is not caught.
	 */

	/** What A's session lasts: eleven ticks. */
	private static final Duration SESSION = Duration.ofMillis(2_750);

	private static final Duration OTHER_SESSION = Duration.ofSeconds(5);

	/** A follower stays with a silent leader for six seconds. */
	private static final int SYNC_LIMIT = 24;

	private static final int TICK = ServerSettings.TICK_MILLIS;

	private static final int TRIALS = Integer.getInteger("parted.trials", 8);

	/** Trials with each rule that are made at the same time. */
	private static final int PAIRS = 4;

	/** How often a fault is made at most until each wrong rule is caught. */
	private static final int ROUNDS = Math.max(12, TRIALS / PAIRS);

	/** Sessions that the leader must expire together with A's. */
	private static final int SILENT = 4_000;

	private static ServerLinks links;

	private static EnsembleProcesses servers;

	@BeforeAll
	static void start() {
		links = new ServerLinks();
		// A leader says a word about each session that it expires, unless set otherwise
		servers = EnsembleProcesses.start(3, links, "syncLimit=" + SYNC_LIMIT, "-Dserver.log=INFO");
	}

	@AfterAll
	static void stop() {
		if (servers != null) {
			servers.close();
		}
		links.close();
	}

	/**
	 * What is behind a link that heals comes when TCP sends it again: here the followers'
	 * requests at once, and the leader's answers a second later.
	 */
	@Test
	void anAnswerThatIsLateBehindAPartedLink() {
		FaultFixture.assumeNetworkHosts();
		try (NetworkHosts network = new NetworkHosts(3);
				EnsembleProcesses hosts = EnsembleProcesses.start(network.hosts(), SYNC_LIMIT)) {
			Fault parted = (round, number) -> {
				int healed = 1_850 + 50 * (number % 7);
				round.open(round.follower.connectString());
				Waiting.pause(SESSION.plusMillis(TICK));
				round.begin();
				network.part(round.indexOf(round.leader), round.indexOf(round.follower));
				round.at(healed, () -> network.join(round.indexOf(round.leader), round.indexOf(round.follower)));
				round.ask((pair) -> healed + 40 + 25 * pair);
				round.end(4_400);
			};
			// What our rule lets an idle client send would be in the way of the others
			tryOut("link parted", hosts, parted, LeaseRule.RECEIPTS);
			tryOut("link parted", hosts, parted, LeaseRule.READS, LeaseRule.ALWAYS_VALID);
		}
	}

	/**
	 * Whoever has not been heard of for a while sends again, and the link from the leader
	 * stands still just then, so that no ping asks the follower who is there.
	 */
	@Test
	void anAnswerThatIsLateBehindALinkOneWayOnlyToAClientThatWasSilent() {
		try (FaultProxy proxy = new FaultProxy(servers.leader().clientAddress())) {
			tryOut("link held one way", servers, (round, number) -> {
				int heard = 1_220 + 10 * (number % 5);
				proxy.leadTo(round.follower.clientAddress());
				round.open(proxy.connectString());
				Waiting.pause(SESSION.plusMillis(TICK));
				round.begin();
				proxy.hold(Direction.TO_SERVER, Direction.TO_CLIENT);
				round.at(heard, proxy::heal);
				round.at(heard + 15, () -> links.hold(round.indexOf(round.leader), round.indexOf(round.follower)));
				round.ask((pair) -> heard + 20 + 10 * pair);
				round.at(heard + 1_780,
						() -> links.release(round.indexOf(round.leader), round.indexOf(round.follower)));
				round.end(heard + 2_900);
			}, LeaseRule.RECEIPTS, LeaseRule.TRANSACTIONS, LeaseRule.ALWAYS_VALID);
		}
	}

	/**
	 * A leader that goes on takes A from its list together with many others, and still
	 * serves A until it comes to close it.
	 */
	@Test
	void anAnswerOfALeaderThatHasYetToExpireUs() {
		tryOut("leader stopped", servers, (round, number) -> {
			int thawed = 3_000 + 250 * (number % 10);
			round.open(round.follower.connectString());
			// Expirations are rounded up to the tick
			long tick = System.nanoTime() / TimeUnit.MILLISECONDS.toNanos(TICK) + 3_500 / TICK;
			long expiry = TimeUnit.MILLISECONDS.toNanos(tick * TICK + SESSION.toMillis() + TICK / 4);
			SilentSessions.open(round.leader.clientAddress(), SILENT, expiry,
					TimeUnit.MILLISECONDS.toNanos((tick - 1) * TICK));
			Waiting.pause(Duration.ofMillis(tick * TICK + TICK * 3 / 4).minusNanos(System.nanoTime()));
			round.leader.freeze();
			round.begin();
			round.read();
			round.at(thawed, round.leader::thaw);
			round.ask((pair) -> thawed - 60 + 15 * pair);
			round.end(thawed + 2_000);
		}, LeaseRule.RECEIPTS, LeaseRule.READS, LeaseRule.ALWAYS_VALID);
	}

	private static void tryOut(String what, EnsembleProcesses servers, Fault fault, LeaseRule... rules) {
		Map<LeaseRule, Tally> tallies = new EnumMap<>(LeaseRule.class);
		for (LeaseRule rule : rules) {
			tallies.put(rule, new Tally());
		}
		// On a busy machine a fault does not meet its moment every time
		List<LeaseRule> wrong = Stream.of(rules).filter((rule) -> rule != LeaseRule.RECEIPTS).toList();
		for (int number = 0; number < ROUNDS && tallies.entrySet()
			.stream()
			.anyMatch((entry) -> entry.getValue().isWanting(entry.getKey(), !wrong.isEmpty())); number++) {
			servers.mend();
			try (Round round = new Round(servers, tallies, number)) {
				fault.happen(round, number);
			}
		}
		tallies.forEach((rule, tally) -> System.out.println("FIGURES " + what + ", " + rule + ": " + tally));
		if (!wrong.isEmpty()) {
			if (tallies.containsKey(LeaseRule.RECEIPTS)) {
				assertThat(tallies.get(LeaseRule.RECEIPTS).waited).as("how often the fault met our rule").isPositive();
			}
			assertThat(wrong).as("rules that overlaps show to be wrong")
				.anyMatch((rule) -> tallies.get(rule).overlaps > 0);
		}
	}

	/** Makes a fault while pairs ask. */
	private interface Fault {

		void happen(Round round, int number);

	}

	/** A and B, who want one key. */
	private record Pair(LeaseRule rule, String key, String strategy, CuratorFramework curator, LockClient a,
			LockClient b) {

		RoundPlan plan() {
			return RoundPlan.of(this.strategy, LockMode.EXCLUSIVE).keys(this.key).hold(RoundPlan.UNTIL_LOST);
		}

	}

	/** What was seen of one rule. */
	private static final class Tally {

		private int trials;

		private int waited;

		private int overlaps;

		private int reversed;

		private long longest;

		boolean isWanting(LeaseRule rule, boolean besideWrongOnes) {
			int met = (rule != LeaseRule.RECEIPTS) ? this.overlaps : this.waited;
			return this.trials < TRIALS || (met == 0 && besideWrongOnes);
		}

		void add(Overlap overlap) {
			this.overlaps++;
			this.reversed += (overlap.later().token() < overlap.before().token()) ? 1 : 0;
			this.longest = Math.max(this.longest, overlap.nanos());
		}

		@Override
		public String toString() {
			return "trials=%d waited=%d overlaps=%d longest=%dms later-with-smaller-token=%d".formatted(this.trials,
					this.waited, this.overlaps, TimeUnit.NANOSECONDS.toMillis(this.longest), this.reversed);
		}

	}

	/** Some trials with one fault. */
	private static final class Round implements AutoCloseable {

		private final EnsembleProcesses servers;

		private final Map<LeaseRule, Tally> tallies;

		private final int number;

		private final ServerProcess leader;

		private final ServerProcess follower;

		private final ServerProcess other;

		private final Map<LeaseRule, Arena> arenas = new EnumMap<>(LeaseRule.class);

		private final List<Pair> pairs = new ArrayList<>();

		private final Map<Pair, Long> asked = new ConcurrentHashMap<>();

		private final ScheduledExecutorService timeline = Executors.newScheduledThreadPool(4);

		private final List<Future<?>> steps = new ArrayList<>();

		private long began;

		Round(EnsembleProcesses servers, Map<LeaseRule, Tally> tallies, int number) {
			this.servers = servers;
			this.tallies = tallies;
			this.number = number;
			this.leader = servers.leader();
			this.follower = servers.followers().get(0);
			this.other = servers.followers().get(1);
		}

		int indexOf(ServerProcess server) {
			return this.servers.servers().indexOf(server);
		}

		/**
		 * Opens the clients, and lets each have had its lock.
		 * @param connectString where A connects
		 */
		void open(String connectString) {
			this.tallies.keySet().forEach((rule) -> {
				Arena arena = this.arenas.computeIfAbsent(rule, (any) -> new Arena(this.servers));
				for (int i = 0; i < PAIRS; i++) {
					String strategy = ((this.number + i) % 2 == 0) ? "naive" : "sequential";
					CuratorFramework curator = curator(arena, rule, connectString, SESSION);
					this.pairs.add(new Pair(rule, "k" + i, strategy, curator, arena.client(curator, rule::apply), arena
						.client(curator(arena, rule, this.other.connectString(), OTHER_SESSION), rule::apply)));
				}
			});
			this.pairs.forEach((pair) -> {
				use(pair.a(), pair);
				use(pair.b(), pair);
			});
		}

		private static CuratorFramework curator(Arena arena, LeaseRule rule, String connectString, Duration session) {
			return arena.curator(rule.apply(ClientMain.curatorBuilder(connectString, session)));
		}

		private static void use(LockClient client, Pair pair) {
			try {
				client.acquire(LockRequest.exclusive(pair.key()).strategy(pair.strategy())).release();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		/** Begins to count time. */
		void begin() {
			this.began = System.nanoTime();
		}

		void at(int millis, Runnable step) {
			this.steps.add(this.timeline.schedule(step,
					this.began + TimeUnit.MILLISECONDS.toNanos(millis) - System.nanoTime(), TimeUnit.NANOSECONDS));
		}

		/**
		 * Lets the pairs ask.
		 * @param when tells after how many milliseconds the A of the pair with that
		 * number asks
		 */
		void ask(IntUnaryOperator when) {
			for (int i = 0; i < this.pairs.size(); i++) {
				Pair pair = this.pairs.get(i);
				Arena arena = this.arenas.get(pair.rule());
				int asked = when.applyAsInt(i % PAIRS);
				at(asked, () -> arena.contend(pair.a(), "a-" + pair.key(), pair.plan(), 1));
				at(asked + 40, () -> {
					this.asked.put(pair, System.nanoTime());
					arena.contend(pair.b(), "b-" + pair.key(), pair.plan(), 2);
				});
			}
		}

		/** Lets each A read all the while. */
		@SuppressWarnings("FutureReturnValueIgnored") // goes on until the end
		void read() {
			this.pairs.forEach((pair) -> {
				ZooKeeper handle = handle(pair.curator());
				this.timeline.scheduleWithFixedDelay(() -> handle.exists("/", null, (rc, path, context, stat) -> {
				}, null), 0, 20, TimeUnit.MILLISECONDS);
			});
		}

		private static ZooKeeper handle(CuratorFramework curator) {
			try {
				return curator.getZookeeperClient().getZooKeeper();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		/**
		 * Waits, ends the round and judges it.
		 * @param millis when
		 */
		void end(int millis) {
			at(millis, this.timeline::shutdownNow);
			try {
				for (Future<?> step : this.steps) {
					step.get();
				}
			}
			catch (InterruptedException | ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
			this.arenas.values().forEach(Arena::stop);
			this.arenas.forEach((rule, arena) -> judge(rule, arena.history(), this.tallies.get(rule)));
		}

		private void judge(LeaseRule rule, History history, Tally tally) {
			HistoryChecker checker = new HistoryChecker(history);
			tally.trials += PAIRS;
			tally.waited += (int) this.pairs.stream()
				.filter((pair) -> pair.rule() == rule && hasWaited(pair, history))
				.count();
			checker.overlaps().forEach(tally::add);
			if (Boolean.getBoolean("parted.each")) {
				System.out.println("ROUND " + this.number + " " + rule);
				history.sections()
					.stream()
					.sorted(Comparator.comparing(HoldRecord::key).thenComparing(HoldRecord::firstTrue))
					.forEach((section) -> System.out.printf("  %s %s %d..%d%s %d%n", section.key(), section.who(),
							millis(section.firstTrue()), millis(section.believedUntil()),
							section.isLost() ? " lost" : "", section.token()));
				checker.overlaps().forEach((overlap) -> System.out.println("  " + overlap));
			}
			if (rule == LeaseRule.RECEIPTS) {
				assertThat(checker.violations()).isEmpty();
				assertThat(this.arenas.get(rule).residue(Duration.ofSeconds(20))).isEmpty();
			}
		}

		// A's node was before B's
		private boolean hasWaited(Pair pair, History history) {
			return history.sections()
				.stream()
				.filter((section) -> section.who().equals("b-" + pair.key() + "-0#0"))
				.anyMatch(
						(section) -> section.firstTrue() - this.asked.get(pair) >= TimeUnit.MILLISECONDS.toNanos(150));
		}

		private long millis(long moment) {
			return TimeUnit.NANOSECONDS.toMillis(moment - this.began);
		}

		// After a failure the fault may still be there
		@Override
		public void close() {
			this.timeline.shutdownNow();
			this.leader.thaw();
			this.arenas.values().forEach(Arena::close);
		}

	}

}
