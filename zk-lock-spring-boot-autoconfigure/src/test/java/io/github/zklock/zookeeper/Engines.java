package io.github.zklock.zookeeper;

import java.util.concurrent.Executor;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.github.zklock.LockListener;
import io.github.zklock.LockStrategy;

/**
 * Parts of the engine that no thread of its own drives, for scenarios whose threads are
 * all there are.
 */
final class Engines {

	private static final Executor AT_ONCE = Runnable::run;

	/** Starts nothing. */
	static final Timer TIMER = stoppedTimer();

	/** Have a name, paths and mailboxes, and will never have a session. */
	static final LockSessions SESSIONS = closedSessions();

	private Engines() {
	}

	private static Timer stoppedTimer() {
		Timer timer = new Timer("never-started");
		timer.stop();
		return timer;
	}

	private static LockSessions closedSessions() {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(1))) {
			curator.start();
			LockSessions sessions = LockSessions.builder(curator).build();
			sessions.close();
			return sessions;
		}
	}

	static ZooKeeperLockClient client(LockStrategy strategy, LockListener listener) {
		return ZooKeeperLockClient.builder(SESSIONS)
			.strategy("memory", strategy)
			.strategy("memory")
			.listener(listener)
			.callbackExecutor(AT_ONCE)
			.build();
	}

}
