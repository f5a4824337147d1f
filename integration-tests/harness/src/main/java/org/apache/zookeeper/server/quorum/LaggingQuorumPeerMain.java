package org.apache.zookeeper.server.quorum;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import javax.security.sasl.SaslException;

import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * A ZooKeeper server that, while it follows and a file exists, applies neither
 * transactions nor syncs, in the order in which they came, and does everything else. It
 * is in ZooKeeper's package because what it changes is not public.
 */
public final class LaggingQuorumPeerMain extends QuorumPeerMain {

	/*-
	 * A follower applies what was decided on a thread of its own in any case, and so does this
	 * one; only that the thread stands still while the file is there. What asks the leader, such as
	 * the move of a session to this server, goes on.
	 */

	private static final long LOOK_NANOS = 1_000_000;

	private final Path lag;

	/**
	 * Creates a server that is not started.
	 * @param lag the file
	 */
	public LaggingQuorumPeerMain(Path lag) {
		this.lag = lag;
	}

	/**
	 * Runs the server.
	 * @param configuration the path of its configuration
	 * @throws Exception if it cannot
	 */
	public void run(String configuration) throws Exception {
		initializeAndRun(new String[] { configuration });
	}

	@Override
	protected QuorumPeer getQuorumPeer() throws SaslException {
		return new QuorumPeer() {

			@Override
			protected Follower makeFollower(FileTxnSnapLog log) throws IOException {
				return new Follower(this, new LaggingServer(log, this, getZkDb(), LaggingQuorumPeerMain.this.lag));
			}

		};
	}

	private static final class LaggingServer extends FollowerZooKeeperServer {

		private final ExecutorService applying = Executors.newSingleThreadExecutor((task) -> {
			Thread thread = new Thread(task, "lagging");
			thread.setDaemon(true);
			return thread;
		});

		private final Path lag;

		LaggingServer(FileTxnSnapLog log, QuorumPeer self, ZKDatabase database, Path lag) throws IOException {
			super(log, self, database);
			this.lag = lag;
		}

		@Override
		public void commit(long zxid) {
			this.applying.execute(() -> {
				awaitTurn();
				super.commit(zxid);
			});
		}

		@Override
		public synchronized void sync() {
			this.applying.execute(() -> {
				awaitTurn();
				syncNow();
			});
		}

		private synchronized void syncNow() {
			super.sync();
		}

		private void awaitTurn() {
			while (Files.exists(this.lag)) {
				LockSupport.parkNanos(LOOK_NANOS);
			}
		}

	}

}
