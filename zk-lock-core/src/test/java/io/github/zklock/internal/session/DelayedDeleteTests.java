package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

/**
 * A delete and the create behind it, as one transaction or as two. The clock stands, so
 * that what waits does so until it goes on.
 */
@Timeout(60)
class DelayedDeleteTests {

	private static final List<Op> DELETE = List.of(Op.delete("/old", -1));

	private static final List<Op> CREATE = List.of(create("/new", CreateMode.CONTAINER),
			create("/new/node", CreateMode.EPHEMERAL));

	private static final long LONG_AGO = TimeUnit.SECONDS.toNanos(1);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final HandPlayedZooKeeper handle = HandPlayedZooKeeper.HANDLE;

	private final StepFailures failures = new StepFailures();

	private final Timer timer = new Timer("zk-lock-timer", this.failures);

	private final AtomicLong now = new AtomicLong();

	private final LockSession session = session(this.handle, this.timer);

	private final List<String> answers = Collections.synchronizedList(new ArrayList<>());

	@BeforeEach
	@AfterEach
	void reset() {
		this.handle.reset();
	}

	@AfterEach
	void stopTimer() {
		this.timer.stop();
	}

	@Test
	void aDeleteIsSentAtOnceUntilThreeHaveBeenFollowedAtOnce() {
		for (int i = 0; i < 3; i++) {
			delete();
			assertThat(this.handle.answerDelete(Code.OK)).isTrue();
			delete();
			assertThat(this.session.requests().delayedDelete().isWaiting()).isFalse();
			create();
			assertThat(this.handle.answerDelete(Code.OK)).isTrue();
			this.handle.answerTransaction(Code.OK);
		}
		delete();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isTrue();
		assertThat(this.handle.answerDelete(Code.OK)).isFalse();
	}

	@Test
	void oneThatIsAnsweredOrLongAgoWasNotFollowedAtOnce() {
		for (int i = 0; i < 10; i++) {
			delete();
			this.handle.answerDelete(Code.OK);
			create();
			this.handle.answerTransaction(Code.OK);
			delete();
			this.now.addAndGet(LONG_AGO);
			create();
			this.handle.answerTransaction(Code.OK);
			this.handle.reset();
		}
		delete();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isFalse();
	}

	@Test
	void whatWaitsGoesWithTheCreateAndEachHasItsPartOfTheAnswer() {
		learn();
		delete();
		create();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isFalse();
		assertThat(this.handle.pendingTransactions()).isOne();
		assertThat(this.handle.lastTransaction()).containsExactly(DELETE.get(0), CREATE.get(0), CREATE.get(1));
		this.handle.answerTransaction(List.of(new OpResult.DeleteResult(), new OpResult.CreateResult("/new"),
				new OpResult.CreateResult("/new/node")));
		assertThat(this.answers).containsExactly("delete OK", "create OK 2");
	}

	@Test
	void bothAreLostTogether() {
		learn();
		delete();
		create();
		this.handle.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(this.answers).containsExactly("delete CONNECTIONLOSS", "create CONNECTIONLOSS null");
		assertThat(this.handle.answerDelete(Code.OK)).isFalse();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("requests")
	@Tag("DelayedDelete.I1")
	void eachOtherRequestSendsWhatWaitsFirst(String name, Consumer<SessionRequests> request) {
		learn();
		delete();
		List<Boolean> first = new ArrayList<>();
		this.handle.onDelete(() -> first.add(nothingSent()));
		request.accept(this.session.requests());
		assertThat(first).first().isEqualTo(true);
		this.handle.answerDelete(Code.OK);
		assertThat(this.answers).containsExactly("delete OK");
	}

	private boolean nothingSent() {
		return this.handle.pendingTransactions() == 0 && this.handle.removedWatches() == 0
				&& !(this.handle.answerChildren(Code.OK) || this.handle.answerRead(Code.OK)
						|| this.handle.answerExists(Code.OK) || this.handle.answerSync(Code.OK)
						|| this.handle.answerCreate(Code.OK) || this.handle.answerDelete(Code.OK));
	}

	static Stream<Arguments> requests() {
		return Stream.of(request("receipt", (requests) -> requests.receipt(DelayedDeleteTests::nothing)),
				request("passQuorum", (requests) -> requests.passQuorum(DelayedDeleteTests::ignore)),
				request("create",
						(requests) -> requests.create("/a", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL,
								(code, path, stat) -> nothing())),
				request("multi", (requests) -> requests.multi(CREATE, DelayedDeleteTests::ignore)),
				request("delete", (requests) -> requests.delete("/a", DelayedDeleteTests::ignore)),
				request("children", (requests) -> requests.children("/a", null, (code, names, stat) -> nothing())),
				request("several lists",
						(requests) -> requests.children(List.of("/a", "/b"),
								List.of((code, names, stat) -> nothing(), (code, names, stat) -> nothing()))),
				request("read", (requests) -> requests.read("/a", null, (code, content, stat) -> nothing())),
				request("exists", (requests) -> requests.exists("/a", DelayedDeleteTests::ignore)),
				request("removeWatches", (requests) -> requests.removeWatches("/a", WatcherType.Any)),
				request("another delete",
						(requests) -> requests.delayedDelete().delete(DELETE, true, DelayedDeleteTests::ignore)),
				request("a delete that must not wait",
						(requests) -> requests.delayedDelete().delete(DELETE, false, DelayedDeleteTests::ignore)));
	}

	@Test
	@Tag("DelayedDelete.I2")
	void whatNobodyComesForIsSentWhenTheTimeIsOver() {
		learn();
		delete();
		this.now.addAndGet(LONG_AGO);
		await().until(() -> this.handle.answerDelete(Code.OK));
		assertThat(this.answers).containsExactly("delete OK");
		assertThat(this.session.requests().delayedDelete().isWaiting()).isFalse();
	}

	@Test
	void forOneThatWaitedInVainThreeMustBeFollowedAtOnce() {
		learn();
		delete();
		this.now.addAndGet(LONG_AGO);
		await().until(() -> this.handle.answerDelete(Code.OK));
		delete();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isFalse();
		create();
		this.handle.answerTransaction(Code.OK);
		this.handle.reset();
		this.answers.clear();
		delete();
		create();
		this.handle.answerTransaction(Code.OK);
		delete();
		create();
		this.handle.answerTransaction(Code.OK);
		delete();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isTrue();
	}

	@Test
	void noneWaitsBehindACreateThatIsYetToBeAnswered() {
		learn();
		create();
		delete();
		assertThat(this.handle.answerDelete(Code.OK)).isTrue();
		this.handle.answerTransaction(Code.OK);
		delete();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isTrue();
	}

	@Test
	@Tag("DelayedDelete.I2")
	void whereNoTimeCanBeTakenItIsSentAtOnce() {
		this.zk.announce("A step of");
		Timer broken = new Timer((task) -> {
			throw new OutOfMemoryError("planted");
		}, this.failures);
		LockSession other = session(this.handle, broken);
		learn(other);
		delete(other);
		assertThat(this.handle.answerDelete(Code.OK)).isTrue();
		assertThat(this.answers).containsExactly("delete OK");
		assertThat(this.failures.count()).isOne();
	}

	@Test
	@Tag("DelayedDelete.I2")
	void whatWaitsIsSentIfTheCreateCannotBe() {
		learn();
		delete();
		assertThatNullPointerException().isThrownBy(() -> this.session.requests()
			.delayedDelete()
			.create(null, DelayedDeleteTests::ignore, DelayedDeleteTests::nothing));
		assertThat(this.handle.answerDelete(Code.OK)).isTrue();
		assertThat(this.session.requests().delayedDelete().isWaiting()).isFalse();
	}

	@Test
	@Tag("DelayedDelete.I2")
	void anAnswerThatCannotBeHandledIsTakenForOneThatSaysNothing() {
		this.zk.announce("A step of");
		learn();
		AtomicInteger calls = new AtomicInteger();
		this.session.requests().delayedDelete().delete(DELETE, true, (code, results) -> {
			this.answers.add("delete " + code);
			if (calls.getAndIncrement() == 0) {
				throw new IllegalStateException("planted");
			}
		});
		create();
		this.handle.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(this.answers).containsExactly("delete CONNECTIONLOSS", "delete SYSTEMERROR",
				"create SYSTEMERROR null");
	}

	@Test
	@Tag("DelayedDelete.I3")
	void ifTheDeleteIsRefusedItIsSentAgainAndTheCreateIsAskedForAgain() {
		learn();
		delete();
		create();
		refuse(Code.NONODE, new OpResult.ErrorResult(Code.NONODE.intValue()),
				new OpResult.ErrorResult(Code.RUNTIMEINCONSISTENCY.intValue()),
				new OpResult.ErrorResult(Code.RUNTIMEINCONSISTENCY.intValue()));
		assertThat(this.answers).containsExactly("create again");
		this.handle.answerDelete(Code.NONODE);
		assertThat(this.answers).containsExactly("create again", "delete NONODE");
	}

	@Test
	@Tag("DelayedDelete.I3")
	void ifTheCreateIsRefusedTheDeleteIsSentAgain() {
		learn();
		delete();
		create();
		refuse(Code.NODEEXISTS, new OpResult.ErrorResult(Code.OK.intValue()),
				new OpResult.ErrorResult(Code.NODEEXISTS.intValue()),
				new OpResult.ErrorResult(Code.RUNTIMEINCONSISTENCY.intValue()));
		assertThat(this.answers).containsExactly("create NODEEXISTS 2");
		this.handle.answerDelete(Code.OK);
		assertThat(this.answers).containsExactly("create NODEEXISTS 2", "delete OK");
	}

	@Test
	void onAServerBothAreOneTransactionOrNothing() throws Exception {
		CuratorFramework curator = this.zk.curator(Duration.ofMinutes(5));
		ZooKeeper zooKeeper = curator.getZookeeperClient().getZooKeeper();
		LockSession real = session(zooKeeper, this.timer);
		learnOn(real, curator);
		curator.create().forPath("/old");
		long zxid = this.zk.servers().zxid();
		delete(real);
		CountDownLatch created = create(real);
		assertThat(created.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.answers).containsExactly("delete OK", "create OK 2");
		assertThat(this.zk.servers().zxid()).isEqualTo(zxid + 1);
		assertThat(curator.checkExists().forPath("/old")).isNull();
		assertThat(curator.checkExists().forPath("/new/node").getCzxid()).isEqualTo(zxid + 1);
		this.answers.clear();
		delete(real);
		CountDownLatch asked = create(real);
		assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
		await().until(() -> this.answers.size() == 2);
		assertThat(this.answers).containsExactly("create again", "delete NONODE");
		curator.delete().forPath("/new/node");
		curator.delete().forPath("/new");
	}

	private void learnOn(LockSession real, CuratorFramework curator) throws Exception {
		for (int i = 0; i < 3; i++) {
			delete(real);
			real.requests().delayedDelete().ended(real.requests().delayedDelete().begun());
		}
		curator.sync().forPath("/");
		await().until(() -> this.answers.size() == 3);
		this.answers.clear();
	}

	private void refuse(Code code, OpResult... results) {
		this.handle.answerTransaction(code, List.of(results));
	}

	private void learn() {
		learn(this.session);
	}

	private void learn(LockSession of) {
		for (int i = 0; i < 3; i++) {
			delete(of);
			create(of);
			this.handle.answerTransaction(Code.OK);
		}
		this.handle.reset();
		this.answers.clear();
	}

	private void delete() {
		delete(this.session);
	}

	private void delete(LockSession of) {
		of.requests().delayedDelete().delete(DELETE, true, (code, results) -> this.answers.add("delete " + code));
	}

	private void create() {
		create(this.session);
	}

	private CountDownLatch create(LockSession of) {
		CountDownLatch done = new CountDownLatch(1);
		of.requests().delayedDelete().create(CREATE, (code, results) -> {
			this.answers.add("create " + code + " " + ((results != null) ? results.size() : null));
			done.countDown();
		}, () -> {
			this.answers.add("create again");
			done.countDown();
		});
		return done;
	}

	private LockSession session(ZooKeeper of, Timer with) {
		return new LockSession(of, this.now::get, with, new SessionCounters(), Lease::new, null, (idle) -> {
		});
	}

	private static Arguments request(String name, Consumer<SessionRequests> request) {
		return Arguments.of(name, request);
	}

	private static Op create(String path, CreateMode mode) {
		return Op.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, mode);
	}

	private static void nothing() {
	}

	private static void ignore(Code code) {
	}

	private static void ignore(Code code, Object results) {
	}

}
