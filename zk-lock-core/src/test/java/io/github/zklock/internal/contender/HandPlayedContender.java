package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

/**
 * A contender in a session whose answers come by hand.
 */
abstract class HandPlayedContender {

	static final String[] BUSY = { "_c_a-lock-0000000001", "_c_b-lock-0000000002" };

	final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	final AtomicLong now = new AtomicLong();

	Timer timer = Engines.TIMER;

	final NotingListener listener = new NotingListener();

	LockSession session;

	ZooKeeperContender contender;

	@BeforeEach
	void reset() {
		this.zooKeeper.reset();
	}

	@AfterEach
	void end() {
		this.session.end();
		this.contender.leave();
		this.timer.stop();
	}

	void enter(boolean tryOnce, boolean naive, String... keys) {
		this.session = this.zooKeeper.session(this.now::get, this.timer);
		LockAttempt attempt = new LockAttempt(List.of(keys), LockMode.EXCLUSIVE, tryOnce, "caller");
		this.contender = new ZooKeeperContender(
				ContenderTerms.of(Engines.source(), new KeyShards(() -> 0, new StepFailures()), attempt, naive),
				this.listener);
		this.contender.start();
		Engines.source().forget(this.contender);
		this.contender.sessionBegan(this.session);
	}

}
