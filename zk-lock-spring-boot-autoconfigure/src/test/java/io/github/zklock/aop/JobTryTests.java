package io.github.zklock.aop;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a job waits for ZooKeeper, where it does not wait for others.
 */
@Timeout(60)
class JobTryTests {

	private static final LockRequest JOB = LockRequest.exclusive("job").timeout(Duration.ZERO);

	private static final int SESSION_MILLIS = 8000;

	@Test
	void itRunsAlsoRightAfterTheConnectionOfAnIdleClientWasLost() throws Exception {
		CountDownLatch again = new CountDownLatch(1);
		try (TestServers server = TestServers.startOne();
				CuratorFramework curator = CuratorFrameworkFactory.builder()
					.connectString(server.connectString())
					.sessionTimeoutMs(SESSION_MILLIS)
					.retryPolicy(new RetryOneTime(50))
					.build()) {
			curator.getConnectionStateListenable().addListener((client, state) -> {
				if (state == ConnectionState.RECONNECTED) {
					again.countDown();
				}
			});
			curator.start();
			assertThat(curator.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
			try (LockClient client = ZooKeeperLockClient.builder(curator).build()) {
				server.stop();
				server.start();
				assertThat(again.await(20, TimeUnit.SECONDS)).isTrue();
				assertThat(JobTry.tryAcquire(client, JOB)).hasValueSatisfying(LockHandle::release);
			}
		}
	}

	@Test
	void whatIsInTheWayBehindATryWithoutAnAnswerMayBeThatTry() throws Exception {
		LockHandle handle = handle();
		Iterator<Callable<Optional<LockHandle>>> answers = List.<Callable<Optional<LockHandle>>>of(() -> {
			throw new LockUnavailableException("planted");
		}, Optional::empty, () -> Optional.of(handle)).iterator();
		assertThat(JobTry.tryAcquire(client(answers), JOB)).containsSame(handle);
		assertThat(answers.hasNext()).isFalse();
	}

	@Test
	void whomOthersPrecedeIsNotPatient() throws Exception {
		Iterator<Callable<Optional<LockHandle>>> answers = List
			.<Callable<Optional<LockHandle>>>of(Optional::empty, () -> Optional.of(handle()))
			.iterator();
		assertThat(JobTry.tryAcquire(client(answers), JOB)).isEmpty();
		assertThat(answers.hasNext()).isTrue();
	}

	private static LockHandle handle() {
		return (LockHandle) Proxy.newProxyInstance(JobTryTests.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> null);
	}

	private static LockClient client(Iterator<Callable<Optional<LockHandle>>> answers) {
		return (LockClient) Proxy.newProxyInstance(JobTryTests.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> answers.next().call());
	}

}
