package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ClientFixture;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the chapters of the contract are told, and the words that they share.
 */
public interface LockContract {

	/** What promise 4 allows a call beyond its time-out. */
	Duration GRACE = Duration.ofMillis(250);

	/** The key that most tests lock. */
	String KEY = "orders";

	/**
	 * The clients, and what can be seen of them.
	 */
	ClientFixture fixture();

	/**
	 * The strategy under test.
	 */
	String strategy();

	/**
	 * Opens a client of its own session that uses the strategy under test.
	 */
	default LockClient open() {
		return fixture().client().strategy(strategy()).open();
	}

	/**
	 * Asks for {@link #KEY}.
	 */
	default LockRequest request(LockMode mode) {
		return LockRequest.exclusive(KEY).mode(mode);
	}

	/**
	 * Waits until a key looks free to a client: its server may lag behind the one that
	 * answered the release, and then a try may say busy.
	 */
	default void awaitFree(LockClient client, LockMode mode) {
		await("free").atMost(Actor.PATIENCE).until(() -> isFree(client, mode));
	}

	/**
	 * Returns whether a client, asked once, is given {@link #KEY}; what it is given is
	 * released.
	 */
	default boolean isFree(LockClient client, LockMode mode) {
		return fixture().actor().get(() -> {
			LockHandle handle = OneTry.of(client, request(mode)).orElse(null);
			if (handle != null) {
				handle.releaseAsync().join();
			}
			return handle != null;
		});
	}

	/**
	 * Tries a lock once, in this thread, and again where there was no answer.
	 */
	static boolean tryOnce(Lock lock) {
		return Repeat.after(LockUnavailableException.class, lock::tryLock);
	}

	/**
	 * Waits, in an action that is to last, until the test ends it.
	 */
	static void awaitEnd(CountDownLatch end) {
		try {
			assertThat(end.await(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("ended by the test").isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Holds that a call takes its time-out, and no longer than promised.
	 */
	static void assertInTime(Duration timeout, Runnable call) {
		Stopwatch stopwatch = Stopwatch.start();
		call.run();
		stopwatch.assertBetween(timeout.minusMillis(1), timeout.plus(GRACE));
	}

}
