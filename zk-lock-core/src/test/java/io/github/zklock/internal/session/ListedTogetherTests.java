package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several nodes that are listed with one request: each gets its own answer.
 */
@Timeout(60)
class ListedTogetherTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final List<String> answers = new ArrayList<>();

	private final HandPlayedZooKeeper handle = HandPlayedZooKeeper.HANDLE;

	private long now;

	private final LockSession session = session(this.handle);

	@BeforeEach
	@AfterEach
	void reset() {
		this.handle.reset();
	}

	@Test
	void eachNodeHasItsOwnAnswer() throws Exception {
		CuratorFramework curator = this.zk.curator(Duration.ofSeconds(10));
		curator.create().creatingParentsIfNeeded().forPath("/full/a");
		curator.create().forPath("/full/b");
		curator.create().forPath("/empty");
		curator.create().withACL(List.of(new ACL(Perms.ALL, new Id("ip", "192.0.2.1")))).forPath("/forbidden");
		CountDownLatch all = new CountDownLatch(4);
		LockSession session = session(curator.getZookeeperClient().getZooKeeper());
		session.requests().children(List.of("/full", "/missing", "/forbidden", "/empty"), listeners(4, all::countDown));
		all.await();
		assertThat(this.answers).containsExactly("0 OK [a, b]", "1 NONODE null", "2 NOAUTH null", "3 OK []");
	}

	@Test
	void fewAreListedWithOneRequest() {
		list("/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9");
		assertThat(this.handle.pendingTransactions()).isOne();
		this.handle.answerChildren(Code.OK, "one");
		assertThat(this.answers).containsExactly("8 OK [one]");
	}

	/** A refusal is that of a bound: `multiRead.maxResponseBytes`, for one. */
	@ParameterizedTest
	@EnumSource(names = { "CONNECTIONLOSS", "BADARGUMENTS" })
	void afterALostAnswerOrARefusalEachIsListedByItselfForAWhile(Code code) {
		list("/a", "/b");
		this.handle.answerTransaction(code);
		assertThat(this.answers).containsExactly("0 CONNECTIONLOSS null", "1 CONNECTIONLOSS null");
		this.answers.clear();
		this.now += TimeUnit.SECONDS.toNanos(59);
		list("/a", "/b");
		assertThat(this.handle.pendingTransactions()).isZero();
		this.handle.answerChildren(Code.OK, "one");
		this.handle.answerChildren(Code.NONODE);
		assertThat(this.answers).containsExactly("0 OK [one]", "1 NONODE null");
		this.now += TimeUnit.SECONDS.toNanos(1);
		list("/a", "/b");
		assertThat(this.handle.pendingTransactions()).isOne();
	}

	@Test
	void aServerThatDoesNotKnowTheRequestIsNotAskedAgain() {
		list("/a", "/b");
		this.handle.answerTransaction(Code.UNIMPLEMENTED);
		assertThat(this.answers).containsExactly("0 CONNECTIONLOSS null", "1 CONNECTIONLOSS null");
		this.now += TimeUnit.DAYS.toNanos(1);
		list("/a", "/b");
		assertThat(this.handle.pendingTransactions()).isZero();
	}

	private void list(String... paths) {
		this.session.requests().children(List.of(paths), listeners(paths.length, ListedTogetherTests::nothing));
	}

	private LockSession session(ZooKeeper of) {
		return new LockSession(of, () -> this.now, Engines.TIMER, new SessionCounters(), Lease::new, null, (idle) -> {
		});
	}

	private List<SessionRequests.Listed> listeners(int count, Runnable then) {
		SessionRequests.Listed[] listeners = new SessionRequests.Listed[count];
		Arrays.setAll(listeners, (i) -> (code, names, stat) -> {
			this.answers.add(i + " " + code + " " + ((names != null) ? names.stream().sorted().toList() : null));
			then.run();
		});
		return List.of(listeners);
	}

	private static void nothing() {
	}

}
