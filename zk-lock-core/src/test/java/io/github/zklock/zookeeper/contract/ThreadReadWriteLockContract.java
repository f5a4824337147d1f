package io.github.zklock.zookeeper.contract;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockMode;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of {@link ReadWriteLock}.
 */
@SuppressWarnings("LockNotBeforeTry") // clients release what is left
interface ThreadReadWriteLockContract extends LockContract {

	@Test
	default void readLocksAreSharedAndKeepOutTheWriteLock() {
		ReadWriteLock one = open().asReadWriteLock(KEY);
		ReadWriteLock two = open().asReadWriteLock(KEY);
		one.readLock().lock();
		two.readLock().lock();
		assertThat(fixture().actor().get(() -> LockContract.tryOnce(one.writeLock()))).isFalse();
		assertThat(fixture().actor().get(() -> LockContract.tryOnce(two.writeLock()))).isFalse();
		one.readLock().unlock();
		two.readLock().unlock();
	}

	@Test
	default void theWriteLockKeepsOutEverybody() {
		ReadWriteLock one = open().asReadWriteLock(KEY);
		LockClient other = open();
		ReadWriteLock two = other.asReadWriteLock(KEY);
		one.writeLock().lock();
		assertThat(LockContract.tryOnce(two.readLock())).isFalse();
		assertThat(LockContract.tryOnce(two.writeLock())).isFalse();
		assertThat(fixture().actor().get(() -> LockContract.tryOnce(one.readLock()))).isFalse();
		CompletableFuture<Void> reading = fixture().actor().call(() -> {
			two.readLock().lock();
			two.readLock().unlock();
			return null;
		});
		fixture().awaitWaiting(other, KEY);
		one.writeLock().unlock();
		Actor.get(reading);
	}

	@Test
	default void aWriterMayTakeTheReadLockAndKeepIt() {
		ReadWriteLock lock = open().asReadWriteLock(KEY);
		LockClient other = open();
		lock.writeLock().lock();
		lock.readLock().lock();
		assertThat(isFree(other, LockMode.READ)).isFalse();
		lock.writeLock().unlock();
		awaitFree(other, LockMode.READ);
		assertThat(isFree(other, LockMode.WRITE)).isFalse();
		lock.readLock().unlock();
		other.asReadWriteLock(KEY).writeLock().lock();
		other.asReadWriteLock(KEY).writeLock().unlock();
	}

	@Test
	default void aReaderIsRefusedTheWriteLockAtOnce() {
		ReadWriteLock lock = open().asReadWriteLock(KEY);
		lock.readLock().lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> lock.writeLock().lock());
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> lock.writeLock().tryLock());
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.writeLock().unlock());
		lock.readLock().unlock();
	}

	@Test
	default void theTwoLocksAreUnlockedEachForItself() {
		ReadWriteLock lock = open().asReadWriteLock(KEY);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.readLock().unlock());
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.writeLock().unlock());
		lock.writeLock().lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.readLock().unlock());
		lock.readLock().lock();
		lock.readLock().unlock();
		lock.writeLock().unlock();
		lock.readLock().lock();
		fixture().actor()
			.run(() -> assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> lock.readLock().unlock()));
		lock.readLock().unlock();
	}

	@Test
	default void aViewUnlocksItsOwnModeOnly() {
		LockClient client = open();
		Lock lock = client.asLock(KEY);
		ReadWriteLock pair = client.asReadWriteLock(KEY);
		lock.lock();
		pair.writeLock().lock();
		lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		pair.writeLock().unlock();
		pair.readLock().lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(lock::lock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		pair.readLock().unlock();
	}

	@Test
	default void readersReenterAsOftenAsTheyLike() {
		LockClient client = open();
		Lock read = client.asReadWriteLock(KEY).readLock();
		read.lock();
		client.asReadWriteLock(KEY).readLock().lock();
		assertThat(read.tryLock()).isTrue();
		read.unlock();
		read.unlock();
		assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		read.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(read::unlock);
	}

}
