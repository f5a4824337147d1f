package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.harness.FaultProxy.Direction;
import io.github.zklock.zookeeper.LeaseRule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 19: three candidates, of which two lose requests, answers, connections and
 * sessions, while leaders yield, and candidates withdraw and come back; then each of them
 * can lead. {@code -Dleader.faults} sets how many faults there are, {@code -Dleader.seed}
 * repeats them.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class LeaderStormIT {

	private static final int FAULTS = Integer.getInteger("leader.faults", 40);

	private static final Duration SESSION = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final long LOOK_NANOS = 1_000_000;

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	private final List<LeaderElection> elections = new ArrayList<>();

	private final List<Journal> journals = new ArrayList<>();

	private final Set<Long> terms = ConcurrentHashMap.newKeySet();

	private final List<String> findings = Collections.synchronizedList(new ArrayList<>());

	private long leadersSeen;

	private volatile boolean over;

	@Test
	void neverDoTwoLeadAndEachCanLeadInTheEnd() throws Exception {
		long seed = Long.getLong("leader.seed", System.nanoTime());
		Random random = new Random(seed);
		candidates(LeaseRule.RECEIPTS).forEach(LeaderElection::stand);
		await().atMost(PATIENCE).until(() -> leaders() == 1);
		Thread watch = new Thread(this::watch, "leader-watch");
		watch.start();
		for (int i = 0; i < FAULTS; i++) {
			fault(random);
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(400)));
		}
		this.faults.proxy().heal();
		int during = this.terms.size();
		this.elections.forEach(LeaderElection::stand);
		for (LeaderElection election : this.elections) {
			await().atMost(PATIENCE).until(() -> {
				this.elections.stream().filter((other) -> other != election).forEach(LeaderElection::yield);
				return election.isLeader();
			});
		}
		end(watch);
		System.out.println("FIGURES storm of leaders: faults=%d terms=%d+%d, seed=%d".formatted(FAULTS, during,
				this.terms.size() - during, seed));
		assertThat(this.findings).as("seed " + seed).isEmpty();
	}

	@Test
	void leadersWithoutALeaseAreFoundOut() throws Exception {
		List<LeaderElection> candidates = candidates(LeaseRule.ALWAYS_VALID);
		candidates.get(0).stand();
		await().atMost(PATIENCE).until(() -> leaders() == 1);
		candidates.get(2).stand();
		Thread watch = new Thread(this::watch, "leader-watch");
		watch.start();
		part();
		end(watch);
		assertThat(this.findings).anyMatch((finding) -> finding.startsWith("two lead at once"));
	}

	private List<LeaderElection> candidates(LeaseRule rule) {
		String proxied = this.faults.proxy().connectString();
		for (String connectString : List.of(proxied, proxied, this.faults.servers().connectString())) {
			CuratorFramework curator = this.faults.arena()
				.curator(rule.apply(ClientMain.curatorBuilder(connectString, SESSION)));
			LockClient client = this.faults.arena().client(curator, rule::apply);
			Journal journal = new Journal(this.elections.size());
			this.journals.add(journal);
			this.elections.add(LeaderElection.of(client, "billing", journal));
		}
		return this.elections;
	}

	private void end(Thread watch) throws InterruptedException {
		this.over = true;
		watch.join();
		this.elections.forEach(LeaderElection::close);
		assertThat(this.leadersSeen).as("how often the watch saw a leader").isPositive();
		await("each term revoked").atMost(PATIENCE)
			.until(() -> this.journals.stream().allMatch((journal) -> journal.leading == 0));
	}

	private long leaders() {
		return this.elections.stream().filter(LeaderElection::isLeader).count();
	}

	@SuppressWarnings("FutureReturnValueIgnored") // withdrawals are not waited for
	private void fault(Random random) {
		switch (random.nextInt(9)) {
			case 0 -> lose(random, true);
			case 1 -> lose(random, false);
			case 2, 3 -> this.faults.proxy().cut();
			case 4 -> this.faults.proxy().delay(Duration.ofMillis(random.nextInt(30)));
			case 5 -> part();
			case 6 -> this.elections.get(random.nextInt(this.elections.size())).withdraw();
			default -> {
				this.elections.forEach(LeaderElection::stand);
				this.elections.forEach(LeaderElection::yield);
			}
		}
	}

	// For so long that the servers end their sessions
	private void part() {
		this.faults.proxy().hold(Direction.values());
		LockSupport.parkNanos(SESSION.multipliedBy(3).dividedBy(2).toNanos());
		this.faults.proxy().heal();
	}

	@SuppressWarnings("FutureReturnValueIgnored") // some never happen
	private void lose(Random random, boolean answer) {
		int number = 1 + random.nextInt(3);
		Set<Integer> types = random.nextBoolean() ? LockRequestTypes.CREATIONS : LockRequestTypes.DELETIONS;
		if (answer) {
			this.faults.proxy().loseAnswer(number, types);
		}
		else {
			this.faults.proxy().loseRequest(number, types);
		}
	}

	private void watch() {
		try {
			while (!this.over) {
				this.elections.forEach(this::look);
				LockSupport.parkNanos(LOOK_NANOS);
			}
		}
		catch (Throwable ex) {
			this.findings.add("watched no longer: " + ex);
		}
	}

	// Who has led all the time while another one did, has led beside it
	private void look(LeaderElection one) {
		OptionalLong term = one.term();
		if (term.isPresent()) {
			this.leadersSeen++;
			lookAtTheOthers(one, term);
			one.enter().ifPresent(LockHandle::release);
		}
	}

	private void lookAtTheOthers(LeaderElection one, OptionalLong term) {
		for (LeaderElection other : this.elections) {
			OptionalLong others = (other != one) ? other.term() : OptionalLong.empty();
			if (others.isPresent() && one.term().equals(term)) {
				this.findings.add("two lead at once: " + term + " and " + others);
			}
		}
	}

	/** Notes what an election is notified of. */
	private final class Journal implements LeaderElection.Listener {

		private final int number;

		private volatile long leading;

		private Journal(int number) {
			this.number = number;
		}

		@Override
		public void granted(long term) {
			if (this.leading != 0 || !LeaderStormIT.this.terms.add(term)) {
				LeaderStormIT.this.findings.add("%d: granted %d in %d".formatted(this.number, term, this.leading));
			}
			this.leading = term;
		}

		@Override
		public void revoked(long term) {
			if (this.leading != term) {
				LeaderStormIT.this.findings.add("%d: revoked %d in %d".formatted(this.number, term, this.leading));
			}
			this.leading = 0;
		}

	}

}
