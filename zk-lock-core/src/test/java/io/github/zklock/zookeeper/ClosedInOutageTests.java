package io.github.zklock.zookeeper;

import java.time.Duration;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client and its sessions are closed, one after the other, while no server answers.
 */
@Timeout(60)
class ClosedInOutageTests {

	private static final String UNCONFIRMED = "has not yet confirmed the removal";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void theyWaitOnceTogetherAndWarnOnce() throws Exception {
		this.zk.announce("lost: its lock client was closed");
		this.zk.announce(UNCONFIRMED);
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		LockSessions sessions = LockSessions.builder(curator).root(this.zk.root()).build();
		ZooKeeperLockClient client = ZooKeeperLockClient.builder(sessions).build();
		client.acquire(LockRequest.exclusive("orders"));
		this.zk.servers().stop();
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger("io.github.zklock");
		logged.start();
		logger.addAppender(logged);
		try {
			Stopwatch stopwatch = Stopwatch.start();
			client.close();
			sessions.close();
			stopwatch.assertBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
		}
		finally {
			logger.detachAppender(logged);
		}
		assertThat(logged.list).filteredOn((event) -> event.getFormattedMessage().contains(UNCONFIRMED)).hasSize(1);
		assertThat(logged.list).extracting(ILoggingEvent::getThrowableProxy).containsOnlyNulls();
	}

}
