package io.github.zklock.cli;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How operators ask holders to release.
 */
@Timeout(120)
class AskCommandTests {

	@RegisterExtension
	final CliFixture zk = new CliFixture();

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void asksAHolderToLetGo(String strategy) throws Exception {
		LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("report").strategy(strategy));
		CompletableFuture<WaitingCaller> asked = new CompletableFuture<>();
		held.onContended((caller) -> {
			asked.complete(caller);
			held.release();
		});
		this.zk.awaitAskable(1);
		CliRun text = this.zk.run("ask", "report", "--reason", "a deployment");
		assertThat(text.out()).as(text.err())
			.startsWith("Asked shop-1 (host ")
			.contains("Released after ")
			.doesNotContain("noticed");
		assertThat(text.code()).isZero();
		assertThat(asked.join().reason()).isEqualTo("a deployment");
		assertThat(asked.join().key()).isEqualTo("report");
		assertThat(asked.join().instance()).contains("zk-lock-cli");
		this.zk.awaitAskable(0);
	}

	@Test
	@Tag("slow")
	void asksALeaderToYield() throws Exception {
		ZooKeeperLockClient other = this.zk.client("shop-2");
		try (LeaderElection first = election(this.zk.client("shop-1")); LeaderElection second = election(other)) {
			first.stand();
			await().until(first::isLeader);
			second.stand();
			this.zk.awaitWaiting(other, "leader%2Fbilling");
			this.zk.awaitAskable(1);
			CliRun text = this.zk.run("ask", "leader/billing", "--reason", "a deployment");
			assertThat(text.out()).startsWith("Asked shop-1 (").contains("Released after ");
			assertThat(text.code()).isZero();
			await().until(second::isLeader);
			assertThat(first.isLeader()).isFalse();
		}
		this.zk.awaitAskable(0);
	}

	private static LeaderElection election(ZooKeeperLockClient client) {
		return LeaderElection.of(client, "billing", new LeaderElection.Listener() {
		});
	}

	@Test
	@Tag("slow")
	void asksAllHoldersAndSaysWhatTheyMakeOfIt() throws Exception {
		LockHandle one = this.zk.client("shop-1").acquire(LockRequest.read("report"));
		LockHandle two = this.zk.client("shop-2").acquire(LockRequest.read("report"));
		one.onContended((caller) -> one.release());
		Queue<String> reasons = new ConcurrentLinkedQueue<>();
		two.onContended((caller) -> reasons.add(caller.reason()));
		this.zk.awaitAskable(2);
		CliRun text = this.zk.run("ask", "report", "--wait", "1s");
		assertThat(text.code()).isEqualTo(3);
		assertThat(text.out()).contains("Asked shop-1 (", "Asked shop-2 (", "Still held after ");
		List<JsonNode> lines = this.zk.run("ask", "report", "--reason", "again", "--wait", "0s", "--json").jsonLines();
		assertThat(lines.get(0).get("instance").asString()).isEqualTo("shop-2");
		assertThat(lines.get(0).get("noticed").asBoolean()).isTrue();
		assertThat(lines.get(1).get("released").asBoolean()).isFalse();
		await().untilAsserted(() -> assertThat(reasons).containsExactly("", "again"));
		two.release();
	}

	@Test
	@Tag("slow")
	void asksNobodyWhoCannotBeAsked() throws Exception {
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		assertThat(this.zk.run("ask", "report").err()).startsWith("Nobody holds the lock 'report'");
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("report"))) {
			CliRun refused = this.zk.run("ask", "report");
			assertThat(refused.code()).isEqualTo(3);
			assertThat(refused.err()).startsWith("No holder of 'report' can be asked");
			held.onContended((caller) -> {
			});
			this.zk.awaitAskable(1);
			CliRun wrong = this.zk.run("ask", "report", "--reason", "x".repeat(1001));
			assertThat(wrong.code()).isEqualTo(2);
			assertThat(wrong.err()).startsWith("The reason must have at most 1000 characters, but has 1001");
		}
	}

}
