package io.github.zklock.internal.session;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Those who wait for a session, and wait again while they are called.
 */
@Timeout(60)
class SessionWaitersTests {

	private static final int TOO_OFTEN = 10;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void i1ASessionThatEndsAtOnceIsHandedToEachWaiterOnce() {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(100))) {
			SessionSource source = new SessionSource(curator,
					LockPaths.of("", this.zk.root(), "", false, new DefaultACLProvider()),
					new ClientIdentity("application", "instance", "host", 1, InstantSource.system()), System::nanoTime,
					Lease::new, null);
			List<Ending> waiters = List.of(new Ending(source), new Ending(source), new Ending(source));
			waiters.forEach(source::await);
			curator.start();
			await().atMost(Actor.PATIENCE).until(() -> waiters.stream().allMatch((waiter) -> waiter.calls.get() > 0));
			await().during(Duration.ofMillis(200))
				.atMost(Duration.ofSeconds(2))
				.untilAsserted(() -> assertThat(waiters).extracting((waiter) -> waiter.calls.get()).containsOnly(1));
			waiters.forEach(source::forget);
			source.close();
		}
	}

	@Test
	void i1WhoWaitsAgainIsCalledInTheNextRound() {
		SessionWaiters waiters = new SessionWaiters(new StepFailures());
		Again one = new Again(waiters);
		waiters.add(one);
		waiters.add(new Again(waiters));
		waiters.each((waiter) -> waiter.sessionUnusable("reason"));
		assertThat(one.calls).hasValue(1);
		waiters.each((waiter) -> waiter.sessionUnusable("reason"));
		assertThat(one.calls).hasValue(2);
		assertThat(waiters.count()).isEqualTo(2);
	}

	@Test
	void i2OneThatThrowsKeepsNobodyFromBeingCalled() {
		StepFailures failures = new StepFailures();
		SessionWaiters waiters = new SessionWaiters(failures);
		this.zk.announce("A step of");
		Waiter one = new Waiter();
		waiters.add(one);
		waiters.add(new Waiter());
		waiters.each((waiter) -> {
			waiter.sessionUnusable("reason");
			throw new NoClassDefFoundError("planted");
		});
		assertThat(one.calls).hasValue(1);
		assertThat(failures.count()).isEqualTo(2);
	}

	@Test
	void i1WhoHasLeftWhenItsTurnComesIsHandedNoSession() {
		SessionWaiters waiters = new SessionWaiters(new StepFailures());
		List<Waiter> both = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			both.add(new Waiter() {

				@Override
				public void sessionBegan(LockSession session) {
					super.sessionBegan(session);
					both.forEach(waiters::remove);
				}

			});
		}
		both.forEach(waiters::add);
		waiters.begin(null);
		assertThat(both).extracting((waiter) -> waiter.calls.get()).containsExactlyInAnyOrder(1, 0);
	}

	/** Is in one bin of a map with all others, where a map puts who comes again last. */
	private static class Waiter implements SessionWaiter {

		final AtomicInteger calls = new AtomicInteger();

		@Override
		public void sessionBegan(LockSession session) {
			this.calls.incrementAndGet();
		}

		@Override
		public void sessionRefused(Code code, String path) {
		}

		@Override
		public void sessionDelayed(Code code, String path) {
		}

		@Override
		public void sessionUnusable(String reason) {
			this.calls.incrementAndGet();
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	/** Ends its session and waits for the next one, as a contender whose session ends. */
	private static final class Ending extends Waiter {

		private final SessionSource source;

		Ending(SessionSource source) {
			this.source = source;
		}

		@Override
		public void sessionBegan(LockSession session) {
			super.sessionBegan(session);
			session.end();
			if (this.calls.get() < TOO_OFTEN) {
				this.source.await(this);
			}
		}

	}

	/** Leaves and waits again. */
	private static final class Again extends Waiter {

		private final SessionWaiters waiters;

		Again(SessionWaiters waiters) {
			this.waiters = waiters;
		}

		@Override
		public void sessionUnusable(String reason) {
			super.sessionUnusable(reason);
			if (this.calls.get() < TOO_OFTEN) {
				this.waiters.remove(this);
				this.waiters.add(this);
			}
		}

	}

}
