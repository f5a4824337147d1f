package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

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
	void aLostAnswerIsLostForEach() {
		HandPlayedZooKeeper handle = HandPlayedZooKeeper.HANDLE;
		handle.reset();
		session(handle).requests().children(List.of("/a", "/b"), listeners(2, ListedTogetherTests::nothing));
		handle.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(this.answers).containsExactly("0 CONNECTIONLOSS null", "1 CONNECTIONLOSS null");
	}

	@Test
	void aServerThatDoesNotKnowTheRequestIsAskedForEach() {
		HandPlayedZooKeeper handle = HandPlayedZooKeeper.HANDLE;
		handle.reset();
		session(handle).requests().children(List.of("/a", "/b"), listeners(2, ListedTogetherTests::nothing));
		handle.answerTransaction(Code.UNIMPLEMENTED);
		assertThat(this.answers).isEmpty();
		handle.answerChildren(Code.OK, "one");
		handle.answerChildren(Code.NONODE);
		assertThat(this.answers).containsExactly("0 OK [one]", "1 NONODE null");
	}

	private static LockSession session(ZooKeeper handle) {
		return new LockSession(handle, System::nanoTime, Engines.TIMER, new SessionCounters(), Lease::new, null,
				(idle) -> {
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
