package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of holders whose nodes an operator deletes.
 */
@Timeout(120)
class ForcedReleaseTests extends InspectedShop {

	@ParameterizedTest
	@ValueSource(strings = { "2000-permit-lock-", "__READ__" })
	void allHoldersAreReleasedAlsoThoseThatAreNotShown(String kind) throws Exception {
		List<String> holders = holders("many", 1001, kind);
		assertThat(this.inspector.line("many").contenders()).hasSize(1000);
		assertThat(this.inspector.forceRelease("many")).extracting(Contender::path)
			.containsExactlyInAnyOrderElementsOf(holders);
		assertThat(this.zk.contenders("many")).isEmpty();
	}

	@Test
	void oneLockNodeIsFoundAlsoWhereItIsNotShown() throws Exception {
		List<String> holders = holders("many", 1001, "__READ__");
		String last = holders.get(1000);
		LockHandle naive = this.a.acquire(LockRequest.exclusive("n").strategy("naive"));
		assertThat(this.inspector.line("many").contenders()).extracting(Contender::path).doesNotContain(last);
		assertThat(this.inspector.contender(last)).get()
			.extracting(Contender::path, Contender::mode, Contender::holds)
			.containsExactly(last, LockMode.READ, true);
		assertThat(this.inspector.contender(this.zk.keyNode("n"))).get()
			.extracting(Contender::token)
			.isEqualTo(naive.fencingToken());
		for (String none : List.of("many", "many/junk", "many/x-lock-0000000000", "none/x-lock-0000000000", "none",
				"%~jobs")) {
			assertThat(this.inspector.contender(this.zk.root() + "/" + none)).as(none).isEmpty();
		}
		assertThat(this.inspector.contender(this.zk.root())).isEmpty();
		assertThat(this.inspector.contender("/elsewhere/x-lock-0000000000")).isEmpty();
		naive.release();
	}

	private List<String> holders(String key, int count, String kind) throws Exception {
		String keyNode = this.zk.plant(this.zk.keyNode(key), CreateMode.PERSISTENT);
		List<Op> creates = IntStream.range(0, count)
			.mapToObj((each) -> Op.create("%s/_c_%s-%s".formatted(keyNode, UUID.randomUUID(), kind), new byte[0],
					ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL))
			.toList();
		return this.zk.curatorOf(this.b)
			.getZookeeperClient()
			.getZooKeeper()
			.multi(creates)
			.stream()
			.map((created) -> ((OpResult.CreateResult) created).getPath())
			.toList();
	}

	@ParameterizedTest
	@CsvSource({ "sequential,EXCLUSIVE", "sequential,READ", "naive,EXCLUSIVE", "naive,WRITE" })
	void aHolderInThisProcessIsNotifiedOfAForcedReleaseBeforeTheNextOneHolds(String strategy, LockMode mode)
			throws Exception {
		LockRequest request = LockRequest.exclusive("k").mode(mode).strategy(strategy);
		LockHandle held = this.a.acquire(request);
		AtomicInteger lost = new AtomicInteger();
		held.onLost(lost::incrementAndGet);
		CompletableFuture<Boolean> heldByTwo = this.b.acquireAsync(LockRequest.write("k").strategy(strategy))
			.thenApply((next) -> {
				boolean both = held.isHeld();
				next.release();
				return both;
			});
		this.zk.awaitWaiting(this.b, "k");
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease("k")).hasSize(1);
		assertThat(held.isHeld()).isFalse();
		assertThat(heldByTwo).succeedsWithin(Actor.PATIENCE).isEqualTo(false);
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		held.release();
	}

	@Test
	void whatWasReleasedIsTakenAwayFromNobody() throws Exception {
		SessionSource source = ((ZooKeeperLockClient) this.a).parts().source();
		LockHandle held = this.a.acquire(LockRequest.exclusive("k"));
		String path = this.zk.contenders("k").get(0);
		held.releaseAsync().join();
		assertThat(source.takeAway(path, held.fencingToken())).isNull();
	}

	@Test
	void aRequestOfSeveralKeysIsShownAsTheHolderWhereItIsFirst() throws Exception {
		this.zk.announce("lost: its node was deleted");
		LockHandle x = this.b.acquire(LockRequest.exclusive("x"));
		// Where its lease is short it looks again at all keys, and takes the deleted
		// node's anew
		LockClient lasting = this.zk.client().session(Duration.ofMinutes(5)).open();
		CompletableFuture<LockHandle> asked = lasting.acquireAsync(LockRequest.keys(List.of("k", "x")));
		await().until(() -> this.inspector.line("x").contenders().size() == 2);
		assertThat(this.inspector.line("k").contenders()).singleElement().matches(Contender::holds);
		assertThat(this.inspector.forceRelease("k")).hasSize(1);
		assertThat(this.inspector.line("k").contenders()).isEmpty();
		assertThat(asked).isNotDone();
		x.release();
		LockHandle lost = Actor.get(asked);
		await().untilAsserted(() -> assertThat(lost.isHeld()).isFalse());
		lost.release();
	}

}
