package io.github.zklock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.github.zklock.LockListener;
import io.github.zklock.internal.client.Acquisition;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.contender.KeyShards;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.LockStrategy;

/**
 * Parts of the engine that no thread of its own drives, for scenarios whose threads are
 * all there are.
 */
public final class Engines {

	private static final Executor AT_ONCE = Runnable::run;

	/** Starts nothing. */
	public static final Timer TIMER = stoppedTimer();

	/** Have a name, paths and serial executors, and will never have a session. */
	private static final LockSessions SESSIONS = closedSessions();

	private Engines() {
	}

	public static SessionSource source() {
		return SESSIONS.source();
	}

	public static KeyShards shards() {
		return SESSIONS.shards();
	}

	public static int openCount(ZooKeeperLockClient client) {
		return client.openCount();
	}

	public static CompletableFuture<Void> leaveAll(ZooKeeperLockClient client) {
		return client.parts().core().leaveAll();
	}

	public static Acquisition.Host host(ZooKeeperLockClient client) {
		return client.parts().core().open();
	}

	private static Timer stoppedTimer() {
		Timer timer = new Timer("never-started", new StepFailures());
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

	public static ZooKeeperLockClient client(LockStrategy strategy, LockListener listener) {
		return ZooKeeperLockClient.builder(SESSIONS)
			.strategy("memory", strategy)
			.strategy("memory")
			.listener(listener)
			.bareCallbackExecutor(AT_ONCE)
			.build();
	}

}
