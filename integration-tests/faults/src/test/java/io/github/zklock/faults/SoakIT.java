package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

import io.github.zklock.LockMode;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.harness.FaultProxy.Direction;
import io.github.zklock.harness.ServerProcess;
import io.github.zklock.harness.Waiting;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Case 15: random faults of servers, network and clients, for {@code -Dsoak.duration},
 * while lock clients in four processes do everything at random. {@code -Dsoak.seed}
 * repeats the faults and the workers' choices.
 */
@Tag("slow")
class SoakIT {

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static final int PROCESSES = 4;

	private static final RoundPlan PLAN = RoundPlan.of("sequential", LockMode.values())
		.strategies("sequential", "naive")
		.keys("a", "b", "c", "d", "3-permits")
		.workers(3)
		.timeout(Duration.ofSeconds(3))
		.hold(Duration.ofMillis(20))
		.asRestless();

	private final List<ClientProcess> clients = new ArrayList<>();

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final List<CompletableFuture<String>> losses = new ArrayList<>();

	private int started;

	private Random random;

	private EnsembleProcesses servers;

	private Arena arena;

	@Test
	void nothingIsGrantedTwiceWhateverFails() {
		Duration duration = DurationStyle.detectAndParse(System.getProperty("soak.duration", "1m"));
		long seed = Long.getLong("soak.seed", System.nanoTime());
		System.out.println("FIGURES soak of " + duration + ", repeated by -Dsoak.seed=" + seed);
		this.random = new Random(seed);
		try (EnsembleProcesses ensemble = EnsembleProcesses.start(3); Arena contest = new Arena(ensemble)) {
			this.servers = ensemble;
			this.arena = contest;
			ensemble.servers().forEach((server) -> this.proxies.add(new FaultProxy(server.clientAddress())));
			for (int i = 0; i < PROCESSES; i++) {
				this.clients.add(newClient(seed));
			}
			contest.await("all contend", (history) -> history.notes("READY").size() == PROCESSES);
			long until = System.nanoTime() + duration.toNanos();
			int faults = 0;
			for (; System.nanoTime() - until < 0; faults++) {
				fault();
				if (faults % 20 == 19) {
					mend();
				}
			}
			loseAHold();
			mend();
			contest.stop();
			HistoryChecker checker = contest.judge("soak, seed=%d, faults=%d, lost requests and answers=%d"
				.formatted(seed, faults, this.losses.stream().filter(CompletableFuture::isDone).count()));
			System.out.println("FIGURES soak, latest of the process that was never frozen: "
					+ TimeUnit.NANOSECONDS.toMillis(checker.latestNanos("client1.")) + "ms");
			List<String> memory = contest.history()
				.notes("MEMORY")
				.stream()
				.filter((note) -> note.contains(" client1 "))
				.toList();
			System.out.println("FIGURES soak, KiB of heap and threads of that process, each minute: " + memory);
			assertThat(checker.violations()).as("seed " + seed).isEmpty();
			assertThat(Duration.ofNanos(checker.latestNanos("client1."))).as("seed " + seed)
				.isLessThan(HistoryChecker.LATE);
			assertThat(contest.residue(Duration.ofSeconds(30))).as("seed " + seed).isEmpty();
			assertThat(contest.history().notes("LOST")).isNotEmpty().noneMatch((note) -> note.contains("entered"));
			assertThat(contest.history().enteredTogether()).isPositive();
			assertThat(contest.history().sections()).anyMatch(HoldRecord::isDowngraded);
		}
		finally {
			this.proxies.forEach(FaultProxy::close);
		}
	}

	private ClientProcess newClient(long seed) {
		String connectString = this.proxies.stream().map(FaultProxy::connectString).collect(Collectors.joining(","));
		this.started++;
		return this.arena.process("client" + this.started, connectString, SESSION, 2, PLAN, seed + this.started);
	}

	private void fault() {
		switch (this.random.nextInt(11)) {
			case 0 -> server().kill();
			case 1 -> frozen(server(), this.random.nextInt(3_000));
			case 2 -> this.servers.mend();
			case 3 -> frozen(client(), this.random.nextInt(7_000));
			case 4 -> restartClient();
			case 5 -> loseAnswers(LockRequestTypes.CREATIONS);
			case 6 -> loseAnswers(LockRequestTypes.DELETIONS);
			case 7 -> proxy().cut();
			case 8 -> hold();
			case 9 -> {
				FaultProxy slow = proxy();
				slow.delay(Duration.ofMillis(this.random.nextInt(30)));
				rest(1_500);
				slow.delay(Duration.ZERO);
			}
			default -> {
				this.losses.add(proxy().loseRequest(1 + this.random.nextInt(20), LockRequestTypes.CREATIONS));
				this.losses.add(proxy().loseRequest(1 + this.random.nextInt(20), LockRequestTypes.DELETIONS));
			}
		}
		rest(700);
	}

	// Most faults leave two servers alive.
	private ServerProcess server() {
		int size = this.servers.servers().size();
		if (alive().isEmpty() || (alive().size() < size && this.random.nextInt(4) > 0)) {
			this.servers.mend();
		}
		return alive().get(this.random.nextInt(alive().size()));
	}

	private List<ServerProcess> alive() {
		return this.servers.servers().stream().filter(ServerProcess::isAlive).toList();
	}

	private FaultProxy proxy() {
		return this.proxies.get(this.random.nextInt(this.proxies.size()));
	}

	// The first one is never frozen, so that its calls can be timed.
	private ClientProcess client() {
		return this.clients.get(1 + this.random.nextInt(PROCESSES - 1));
	}

	private void frozen(ServerProcess server, int millis) {
		server.freeze();
		rest(millis);
		server.thaw();
	}

	private void frozen(ClientProcess client, int millis) {
		client.freeze();
		rest(millis);
		client.thaw();
	}

	// So that there is one to judge, whatever the faults were
	private void loseAHold() {
		for (int i = 0; i < 10 && this.arena.history().notes("LOST").isEmpty(); i++) {
			ClientProcess victim = frozenHolder();
			Waiting.pause(SESSION.plusSeconds(1));
			victim.thaw();
			mend();
		}
	}

	// On a slow machine a process holds nothing most of the time
	private ClientProcess frozenHolder() {
		ClientProcess victim = client();
		victim.freeze();
		for (int i = 0; i < 200 && victim.count("ENTER") == victim.count("LEAVE"); i++) {
			victim.thaw();
			Waiting.pause(Duration.ofMillis(10));
			victim = client();
			victim.freeze();
		}
		return victim;
	}

	private void restartClient() {
		ClientProcess victim = client();
		victim.kill();
		this.clients.set(this.clients.indexOf(victim), newClient(this.random.nextLong()));
	}

	private void loseAnswers(Set<Integer> types) {
		for (int i = 0; i < 5; i++) {
			this.losses.add(proxy().loseAnswer(1 + this.random.nextInt(40), types));
		}
	}

	private void hold() {
		FaultProxy hole = proxy();
		switch (this.random.nextInt(3)) {
			case 0 -> hole.hold(Direction.TO_CLIENT);
			case 1 -> hole.hold(Direction.TO_SERVER);
			default -> hole.hold(Direction.TO_CLIENT, Direction.TO_SERVER);
		}
		rest(5_000);
		hole.heal();
	}

	private void rest(int millis) {
		Waiting.pause(Duration.ofMillis((millis > 0) ? this.random.nextInt(millis) : 0));
	}

	// Everything works again, and each lock client of the processes that run is served
	// again: more often than its three workers may have been before.
	private void mend() {
		this.proxies.forEach(FaultProxy::heal);
		this.servers.mend();
		try {
			this.arena.awaitProgress(10);
		}
		catch (ConditionTimeoutException ex) {
			this.arena.describe().forEach(System.out::println);
			throw ex;
		}
	}

}
