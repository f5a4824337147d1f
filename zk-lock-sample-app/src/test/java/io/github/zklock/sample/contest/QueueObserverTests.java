package io.github.zklock.sample.contest;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an observer has seen once it has settled.
 */
class QueueObserverTests {

	private static final String PATH = "/locks/k";

	private static final Duration SESSION = Duration.ofSeconds(30);

	@Test
	void whatHasHappenedWasSeen() throws Exception {
		try (TestingServer server = new TestingServer();
				OwnSession contender = OwnSession.connect(server.getConnectString(), SESSION);
				QueueObserver observer = QueueObserver.start(OwnSession.connect(server.getConnectString(), SESSION),
						PATH)) {
			CuratorFramework curator = contender.curator();
			for (int i = 1; i <= 20; i++) {
				curator.create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(PATH + "/" + i);
				observer.settle();
				assertThat(observer.queued()).hasSize(i);
			}
		}
	}

	@Test
	@Tag("slow")
	void whereNoServerAnswersNothingIsSettled() throws Exception {
		try (TestingServer server = new TestingServer();
				QueueObserver observer = QueueObserver.start(OwnSession.connect(server.getConnectString(), SESSION),
						PATH)) {
			server.stop();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(observer::settle)
				.withMessageContaining("latest state");
		}
	}

}
