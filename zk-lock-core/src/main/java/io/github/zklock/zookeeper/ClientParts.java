package io.github.zklock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;

import io.github.zklock.internal.client.ClientCore;
import io.github.zklock.internal.client.ClientSite;
import io.github.zklock.internal.client.Jobs;
import io.github.zklock.internal.session.SessionSource;

/**
 * A client, with its sessions and marks of jobs.
 */
final class ClientParts {

	private final LockSessions sessions;

	private final boolean ownsSessions;

	private final ClientCore core;

	private final ZooKeeperJobMarks jobMarks;

	/**
	 * Puts a client together.
	 * @param settings its settings
	 * @param built gives its sessions, once the settings are known to be good
	 * @param ownsSessions whether they end with it
	 */
	ClientParts(ClientSettings settings, Supplier<LockSessions> built, boolean ownsSessions) {
		settings.check();
		this.sessions = built.get();
		this.ownsSessions = ownsSessions;
		SessionSource source = source();
		this.core = new ClientCore(settings, settings.rules(this.sessions),
				new ClientSite(new ZooKeeperContention(source), source.deadlines(), source.clock(), source::isConfirmed,
						source::servers));
		this.jobMarks = new ZooKeeperJobMarks(source, this.core.open().holds());
	}

	ClientCore core() {
		return this.core;
	}

	Jobs jobs() {
		return new Jobs(this.jobMarks, this.core.rules(), this.core.open(), this.core.callbacks());
	}

	Supplier<CuratorFramework> connections() {
		return this.sessions.connections();
	}

	SessionSource source() {
		return this.sessions.source();
	}

	/**
	 * Counts what the client keeps: nothing when nobody acquires, holds or is being
	 * removed. The marks of jobs are not counted: they are watched until it is closed.
	 * @return the number of pending acquisitions, holds and cohorts, and of what the
	 * sessions count
	 */
	int openCount() {
		return this.core.openCount() + source().openCount() - this.jobMarks.watchCount();
	}

	/** Ends the client, and waits a short time for the servers to confirm. */
	void close() {
		this.core.close(() -> {
			this.jobMarks.close();
			CompletableFuture<Void> left = this.core.leaveAll();
			source().goOnUntil(left);
			if (this.ownsSessions) {
				this.sessions.close();
			}
			else {
				ClientCore.awaitShortly(left, SessionSource.CLOSE_SECONDS, SessionSource.UNCONFIRMED);
			}
		});
	}

}
