package io.github.zklock.zookeeper.contract;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockUpgradeException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Work that is done while a lock is held.
 */
interface WorkContract extends LockContract {

	@Test
	default void workIsDoneUnderTheLockAndItsResultReturned() throws Exception {
		LockClient client = open();
		LockClient other = open();
		String result = client.call(request(LockMode.EXCLUSIVE), () -> {
			assertThat(isFree(other, LockMode.READ)).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		awaitFree(other, LockMode.WRITE);
	}

	@Test
	default void workCanAskItsHandle() throws Exception {
		open().run(request(LockMode.WRITE), () -> {
			LockHandle handle = LockContext.current();
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.key()).isEqualTo(KEY);
			assertThat(handle.keys()).containsExactly(KEY);
			assertThat(handle.mode()).isEqualTo(LockMode.WRITE);
			assertThat(handle.fencingToken()).isPositive().isEqualTo(handle.fencingToken(KEY));
		});
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	default void workMayThrowWhatItDeclares() {
		LockClient client = open();
		IOException failure = new IOException("no disk");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.call(request(LockMode.EXCLUSIVE), () -> {
			throw failure;
		})).isSameAs(failure).satisfies((thrown) -> assertThat(thrown.getSuppressed()).isEmpty());
		assertThat(LockContext.find()).isEmpty();
		awaitFree(open(), LockMode.WRITE);
	}

	@Test
	default void workThatReleasesItsLockHasNotLostIt() throws Exception {
		LockClient client = open();
		LockClient other = open();
		client.run(request(LockMode.EXCLUSIVE), () -> {
			LockContext.current().releaseAsync().join();
			assertThat(LockContext.current().isHeld()).isFalse();
			awaitFree(other, LockMode.WRITE);
		});
		client.run(request(LockMode.EXCLUSIVE), () -> LockContext.current().release());
	}

	@Test
	default void workWhoseLockIsRefusedIsNotDone() throws Exception {
		LockClient client = open();
		AtomicBoolean done = new AtomicBoolean();
		try (LockHandle held = client.acquire(request(LockMode.READ))) {
			assertThatExceptionOfType(LockUpgradeException.class)
				.isThrownBy(() -> client.run(request(LockMode.WRITE), () -> done.set(true)));
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(done).isFalse();
	}

	@Test
	default void workEntersAgain() throws Exception {
		LockClient client = open();
		client.run(request(LockMode.EXCLUSIVE), () -> {
			try {
				long inner = client.call(request(LockMode.READ), () -> LockContext.current().fencingToken());
				assertThat(inner).isEqualTo(LockContext.current().fencingToken());
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			assertThat(LockContext.current().isHeld()).isTrue();
		});
	}

}
