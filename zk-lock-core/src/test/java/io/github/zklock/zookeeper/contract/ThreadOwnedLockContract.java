package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of {@link Lock}, sentence by sentence.
 */
@SuppressWarnings("LockNotBeforeTry") // clients release what is left
interface ThreadOwnedLockContract extends LockContract {

	@Test
	default void aLockIsHeldFromLockToUnlock() {
		Lock lock = open().asLock(KEY);
		LockClient other = open();
		lock.lock();
		assertThat(isFree(other, LockMode.READ)).isFalse();
		lock.unlock();
		assertThat(other.acquireAsync(request(LockMode.EXCLUSIVE)).thenCompose(LockHandle::releaseAsync))
			.succeedsWithin(Actor.PATIENCE);
	}

	@Test
	default void lockWaitsUntilTheLockIsFree() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = fixture().client().strategy(strategy()).timeout(Duration.ofMillis(1)).open();
		Lock lock = client.asLock(KEY);
		Actor actor = fixture().actor();
		CompletableFuture<Void> locking = actor.call(() -> {
			lock.lock();
			return null;
		});
		fixture().awaitWaiting(client, KEY);
		assertThat(locking).isNotDone();
		handle.release();
		Actor.get(locking);
		assertThat(isFree(open(), LockMode.EXCLUSIVE)).isFalse();
		actor.run(lock::unlock);
	}

	@Test
	default void lockIgnoresAnInterruptAndKeepsTheFlag() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		Lock lock = client.asLock(KEY);
		Actor actor = fixture().actor();
		CompletableFuture<Boolean> locking = actor.call(() -> {
			lock.lock();
			return Thread.interrupted();
		});
		fixture().awaitWaiting(client, KEY);
		actor.interrupt();
		fixture().awaitWaiting(client, KEY);
		assertThat(locking).isNotDone();
		handle.release();
		assertThat(Actor.get(locking)).isTrue();
		actor.run(lock::unlock);
	}

	@Test
	default void lockInterruptiblyEndsWithAnInterruptAndClearsTheFlag() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		Lock lock = client.asLock(KEY);
		Actor actor = fixture().actor();
		CompletableFuture<Void> locking = actor.call(() -> {
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			return null;
		});
		fixture().awaitWaiting(client, KEY);
		actor.interrupt();
		Actor.get(locking);
		assertThat(handle.isHeld()).isTrue();
		handle.release();
		actor.run(() -> {
			lock.lockInterruptibly();
			lock.unlock();
		});
	}

	@Test
	default void anInterruptedThreadIsRefusedByTheInterruptibleMethodsOnly() {
		Lock lock = open().asLock(KEY);
		fixture().actor().run(() -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			Thread.currentThread().interrupt();
			lock.lock();
			assertThat(Thread.interrupted()).isTrue();
			Thread.currentThread().interrupt();
			assertThat(lock.tryLock()).isTrue();
			assertThat(Thread.interrupted()).isTrue();
			lock.unlock();
			lock.unlock();
		});
	}

	@Test
	default void tryLockSaysAtOnceWhetherTheLockWasFree() throws Exception {
		LockClient client = open();
		Lock lock = client.asLock(KEY);
		LockClient other = open();
		isFree(other, LockMode.EXCLUSIVE);
		LockHandle handle = other.acquire(request(LockMode.EXCLUSIVE));
		assertThat(LockContract.tryOnce(lock)).isFalse();
		handle.releaseAsync().join();
		assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
		assertThat(fixture().actor().get(() -> LockContract.tryOnce(lock))).isFalse();
		lock.unlock();
	}

	@Test
	default void tryLockWithATimeoutWaitsThatLong() throws Exception {
		LockClient client = open();
		Lock lock = client.asLock(KEY);
		LockClient other = open();
		LockHandle handle = other.acquire(request(LockMode.EXCLUSIVE));
		LockContract.tryOnce(lock);
		assertThat(Repeat.after(LockUnavailableException.class, () -> {
			Stopwatch stopwatch = Stopwatch.start();
			boolean locked;
			try {
				locked = lock.tryLock(200, TimeUnit.MILLISECONDS);
			}
			finally {
				stopwatch.assertBetween(Duration.ZERO, Duration.ofMillis(200).plus(GRACE));
			}
			assertThat(stopwatch.elapsed()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
			return locked;
		})).isFalse();
		for (int none : new int[] { 0, -1 }) {
			assertThat(Repeat.after(LockUnavailableException.class, () -> lock.tryLock(none, TimeUnit.SECONDS)))
				.isFalse();
		}
		CompletableFuture<Boolean> trying = fixture().actor().call(() -> {
			boolean locked = lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS);
			lock.unlock();
			return locked;
		});
		fixture().awaitWaiting(client, KEY);
		assertThat(trying).isNotDone();
		handle.release();
		assertThat(Actor.get(trying)).isTrue();
	}

	@Test
	@Tag("ThreadOwnedLocks.I1")
	default void aThreadReentersAndUnlocksAsOften() {
		LockClient client = open();
		LockClient other = open();
		Lock lock = client.asLock(KEY);
		lock.lock();
		assertThat(lock.tryLock()).isTrue();
		client.asLock(KEY).lock();
		lock.unlock();
		client.asLock(KEY).unlock();
		assertThat(isFree(other, LockMode.EXCLUSIVE)).isFalse();
		lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		other.asLock(KEY).lock();
		other.asLock(KEY).unlock();
	}

	@Test
	@Tag("ThreadOwnedLocks.I1")
	default void onlyTheThreadThatHoldsItMayUnlock() {
		Lock lock = open().asLock(KEY);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		lock.lock();
		fixture().actor()
			.run(() -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
				.withMessageContaining("'orders'"));
		assertThat(isFree(open(), LockMode.EXCLUSIVE)).isFalse();
		lock.unlock();
	}

	@Test
	default void aKeyOfSeveralLinesIsNamedInOne() {
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(open().asLock("orders\nINFO all is well")::unlock)
			.withMessageContaining("'orders?INFO all is well'");
	}

	@Test
	default void aHandleOfTheSameThreadIsNotUnlocked() throws Exception {
		LockClient client = open();
		Lock lock = client.asLock(KEY);
		try (LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE))) {
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void aViewHasNoConditions() {
		LockClient client = open();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> client.asLock(KEY).newCondition());
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> client.asReadWriteLock(KEY).readLock().newCondition());
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> client.asReadWriteLock(KEY).writeLock().newCondition());
	}

}
