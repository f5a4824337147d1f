package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.sample.contest.OwnSession;

/**
 * Takes the key in a session of its own and is silent from then on until its session is
 * over, because nothing passes its connection: so the servers see a process that is
 * frozen. The process itself goes on, and its clock.
 */
final class FrozenHolder {

	/*-
	 * One round on a thread of its own, which alone changes `stage` and `token`:
	 * CONNECTING -> QUEUED -> HOLDING -> FROZEN -> AWAKE -> NONE. An interrupt ends it.
	 */

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(5);

	/** Longer than the servers take to end the session. */
	private static final Duration FREEZE = Duration.ofSeconds(8);

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final String connectString;

	private final LabKey key;

	private final String strategy;

	private final Runnable changed;

	private final Notes notes;

	private final Thread thread = new Thread(this::run, "lab-frozen-holder");

	private volatile Stage stage = Stage.CONNECTING;

	private volatile @Nullable Long token;

	FrozenHolder(String connectString, LabKey key, String strategy, Notes notes, Runnable changed) {
		this.connectString = connectString;
		this.key = key;
		this.strategy = strategy;
		this.notes = notes;
		this.changed = changed;
	}

	void start() {
		this.thread.start();
	}

	private void run() {
		try (Cable cable = Cable.to(this.connectString);
				OwnSession session = OwnSession.connect(cable.connectString(), SESSION_TIMEOUT);
				LockClient client = session.lockClient(this.key.root(), this.strategy, PATIENCE, "frozen holder")) {
			String wanted = this.key.inZooKeeper();
			enter(Stage.QUEUED);
			try (LockHandle lock = client.acquire(LockRequest.exclusive(wanted))) {
				freeze(lock, cable);
				askAgain(client, wanted, lock);
			}
		}
		catch (InterruptedException ex) {
			this.notes.add("The frozen holder was let go");
		}
		catch (LockException ex) {
			this.notes.add("The frozen holder has no lock: %s".formatted(ex.getMessage()));
		}
		finally {
			this.token = null;
			enter(Stage.NONE);
		}
	}

	private void freeze(LockHandle lock, Cable cable) throws InterruptedException {
		this.token = lock.fencingToken();
		enter(Stage.HOLDING);
		CountDownLatch lost = new CountDownLatch(1);
		lock.onLost(lost::countDown);
		TimeUnit.SECONDS.sleep(1);
		long frozen = System.nanoTime();
		cable.holdUp();
		try {
			enter(Stage.FROZEN);
			this.notes.add(
					"The holder with token %d is frozen: nothing passes its connection".formatted(lock.fencingToken()));
			lost.await();
			this.notes.add("After %.1f s the frozen holder's own clock says that its lock is lost"
				.formatted((System.nanoTime() - frozen) / 1e9));
			TimeUnit.NANOSECONDS.sleep(frozen + FREEZE.toNanos() - System.nanoTime());
		}
		finally {
			cable.letThrough();
		}
		this.notes.add("The frozen holder is awake; isHeld() is %s".formatted(lock.isHeld()));
	}

	private void askAgain(LockClient client, String wanted, LockHandle lost) throws InterruptedException {
		enter(Stage.AWAKE);
		// The same owner would enter what it has lost
		try (LockHandle again = client.acquire(LockRequest.exclusive(wanted).owner(new Object()))) {
			this.notes.add("It asked again and got token %d: a store that has seen it refuses a write with %d"
				.formatted(again.fencingToken(), lost.fencingToken()));
		}
	}

	private void enter(Stage next) {
		this.stage = next;
		this.changed.run();
	}

	void end() {
		this.thread.interrupt();
	}

	void awaitEnd(long seconds) throws InterruptedException {
		this.thread.join(TimeUnit.SECONDS.toMillis(seconds));
	}

	Stage stage() {
		return this.stage;
	}

	@Nullable Long token() {
		return this.token;
	}

	/**
	 * How far it is.
	 */
	enum Stage {

		NONE, CONNECTING, QUEUED, HOLDING, FROZEN, AWAKE

	}

}
