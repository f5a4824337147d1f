package io.github.zklock.integration;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.aop.LockClients;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.ServerFixture;
import io.github.zklock.testing.StackEnd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The registry as Spring Integration uses it.
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // locking is what is tested
class ZkLockRegistryTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ServerFixture zk = ServerFixture.onOneServer();

	private LockClient client;

	private ZkLockRegistry registry;

	private ZkLockRegistry other;

	@BeforeEach
	void open() {
		this.client = LockClients.open(this.zk);
		this.registry = new ZkLockRegistry(this.client);
		this.other = new ZkLockRegistry(LockClients.open(this.zk));
	}

	// Who is impatient gives a server little time to answer
	private static <T> T answered(Callable<T> asked) {
		return Repeat.after(LockUnavailableException.class, asked);
	}

	private static boolean tryOnce(Lock lock) {
		return answered(lock::tryLock);
	}

	@Test
	void registriesExcludeEachOther() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		Lock next = this.other.obtain(KEY);
		assertThat(tryOnce(next)).isFalse();
		assertThat(answered(() -> next.tryLock(500, TimeUnit.MILLISECONDS))).isFalse();
		lock.unlock();
		assertThat(next.tryLock(10, TimeUnit.SECONDS)).isTrue();
		next.unlock();
	}

	@Test
	void aCallerThatAsksForAKeyTwiceGetsOneLock() {
		this.registry.obtain(KEY).lock();
		this.registry.obtain(KEY).lock();
		this.registry.obtain(KEY).unlock();
		assertThat(tryOnce(this.other.obtain(KEY))).isFalse();
		this.registry.obtain(KEY).unlock();
		assertThat(this.registry.count()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.registry.obtain(KEY).unlock())
			.withMessageContaining("does not hold lock 'orders'");
	}

	@Test
	void aThreadWithoutANameIsKnownByItsNumber() {
		Thread thread = Thread.currentThread();
		String name = thread.getName();
		thread.setName("");
		try {
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> this.registry.obtain(KEY).unlock())
				.withMessageMatching("Thread '#\\d+' does not hold lock 'orders'");
		}
		finally {
			thread.setName(name);
		}
	}

	@Test
	void ownerIsTheThread() {
		this.registry.obtain(KEY).lock();
		Actor actor = this.zk.actor();
		assertThat(Actor.get(actor.call(() -> tryOnce(this.registry.obtain(KEY))))).isFalse();
		this.registry.obtain(KEY).unlock();
	}

	@Test
	void aKeyOfSeveralLinesIsNamedInOne() {
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(this.registry.obtain("orders\nINFO all is well")::unlock)
			.withMessageContaining("'orders?INFO all is well'");
	}

	@Test
	void unlockNearTheStacksEndForgetsNothing() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		lock.unlock();
		StackEnd.run(lock::lock, lock::unlock);
		assertThat(this.registry.count()).isZero();
		Lock next = this.other.obtain(KEY);
		assertThat(next.tryLock(10, TimeUnit.SECONDS)).isTrue();
		next.unlock();
	}

	@Test
	void aNegativeTimeToWaitTriesOnce() throws Exception {
		DistributedLock lock = this.registry.obtain(KEY);
		assertThat(answered(() -> lock.tryLock(Duration.ofSeconds(-1), Duration.ofMinutes(1)))).isTrue();
		DistributedLock another = this.other.obtain(KEY);
		assertThat(answered(() -> another.tryLock(-1, TimeUnit.SECONDS))).isFalse();
		assertThat(answered(() -> another.tryLock(Duration.ofSeconds(-1), Duration.ofMinutes(1)))).isFalse();
		lock.unlock();
	}

	@Test
	void keyIsTheTextOfAnyObject() {
		this.registry.obtain(42L).lock();
		assertThat(this.zk.contenders("42")).hasSize(1);
		this.registry.obtain("42").unlock();
	}

	@Test
	void timeToLiveEndsTheHoldAndUnlockSaysSo() throws Exception {
		this.zk.announce("lost");
		DistributedLock lock = this.registry.obtain(KEY);
		assertThat(lock.tryLock(Duration.ofSeconds(10), Duration.ofMillis(100))).isTrue();
		Lock next = this.other.obtain(KEY);
		assertThat(next.tryLock(10, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
			.withMessageContaining("Lock 'orders' was lost before it was unlocked");
		assertThat(tryOnce(this.registry.obtain(KEY))).as("the other one still has it").isFalse();
		next.unlock();
		lock.lock(Duration.ofMillis(100));
		assertThat(next.tryLock(10, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		next.unlock();
		lock.lock(Duration.ofMinutes(1));
		lock.unlock();
	}

	@Test
	void lockWaitsThroughInterruptsAndKeepsThem() throws Exception {
		this.other.obtain(KEY).lock();
		Actor actor = this.zk.actor();
		CompletableFuture<Boolean> locked = actor.call(() -> {
			this.registry.obtain(KEY).lock();
			this.registry.obtain(KEY).unlock();
			return Thread.interrupted();
		});
		actor.awaitBlocked();
		actor.interrupt();
		assertThat(locked).isNotDone();
		this.other.obtain(KEY).unlock();
		assertThat(Actor.get(locked)).as("interrupted").isTrue();
	}

	@Test
	void tryLockOfAnInterruptedThreadLocksAndKeepsTheInterrupt() {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		Thread.currentThread().interrupt();
		boolean again = lock.tryLock();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(again).isTrue();
		lock.unlock();
		lock.unlock();
	}

	@Test
	void tryLockThatIsInterruptedWhileItAsksLocksNothingAndKeepsTheInterrupt() {
		LockClient interrupting = (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> {
					Thread.currentThread().interrupt();
					return this.client.tryAcquire((LockRequest) arguments[0]);
				});
		boolean locked = new ZkLockRegistry(interrupting).obtain(KEY).tryLock();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(locked).isFalse();
		assertThat(tryOnce(this.other.obtain(KEY))).isTrue();
		this.other.obtain(KEY).unlock();
	}

	@Test
	void lockInterruptiblyOfAnInterruptedThreadLocksNothing() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.registry.obtain(KEY).lockInterruptibly());
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void lockThatFailsAfterAnInterruptKeepsIt() throws Exception {
		this.other.obtain(KEY).lock();
		Actor actor = this.zk.actor();
		CompletableFuture<Boolean> interrupted = actor.call(() -> {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.registry.obtain(KEY).lock());
			return Thread.interrupted();
		});
		actor.awaitBlocked();
		actor.interrupt();
		// It waits anew
		await().during(Duration.ofMillis(100)).until(() -> !interrupted.isDone());
		this.client.close();
		assertThat(Actor.get(interrupted)).isTrue();
		this.other.obtain(KEY).unlock();
	}

	@Test
	void executeLockedRunsUnderTheLock() throws Exception {
		AtomicInteger runs = new AtomicInteger();
		this.registry.executeLocked(KEY, () -> {
			assertThat(tryOnce(this.other.obtain(KEY))).isFalse();
			runs.incrementAndGet();
		});
		assertThat(runs).hasValue(1);
		this.other.obtain(KEY).lock();
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> answered(() -> {
			this.registry.executeLocked(KEY, Duration.ofMillis(100), runs::incrementAndGet);
			return null;
		}));
		assertThat(runs).hasValue(1);
		this.other.obtain(KEY).unlock();
	}

	@Test
	void leaderIsElectedAndDeposedWithItsSession() throws Exception {
		this.zk.announce("lost");
		this.zk.announce("");
		Candidate candidate = new Candidate();
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(this.registry, candidate);
		initiator.setHeartBeatMillis(50);
		initiator.start();
		try {
			assertThat(candidate.granted.await(10, TimeUnit.SECONDS)).isTrue();
			this.zk.expireSession(this.client);
			assertThat(candidate.revoked.await(20, TimeUnit.SECONDS)).isTrue();
			await().atMost(Actor.PATIENCE).until(() -> initiator.getContext().isLeader());
		}
		finally {
			initiator.stop();
			initiator.destroy();
		}
	}

	private static final class Candidate extends DefaultCandidate {

		private final CountDownLatch granted = new CountDownLatch(1);

		private final CountDownLatch revoked = new CountDownLatch(1);

		Candidate() {
			super("candidate", "leader");
		}

		@Override
		public void onGranted(Context context) {
			super.onGranted(context);
			this.granted.countDown();
		}

		@Override
		public void onRevoked(Context context) {
			super.onRevoked(context);
			this.revoked.countDown();
		}

	}

}
