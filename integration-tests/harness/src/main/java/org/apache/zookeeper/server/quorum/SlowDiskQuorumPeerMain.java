package org.apache.zookeeper.server.quorum;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

import javax.security.sasl.SaslException;

import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * A ZooKeeper server of several whose disk takes longer to write what is forced to it. It
 * is in ZooKeeper's package because what it changes is not public.
 */
public final class SlowDiskQuorumPeerMain extends QuorumPeerMain {

	private final int millis;

	/**
	 * Creates a server that is not started.
	 * @param millis how much longer each forced write takes
	 */
	public SlowDiskQuorumPeerMain(int millis) {
		this.millis = millis;
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
			public void setTxnFactory(FileTxnSnapLog factory) {
				try {
					// Both directories have been given the folder of the version
					super.setTxnFactory(new SlowLog(factory.getDataLogDir().getParentFile(),
							factory.getSnapDir().getParentFile(), SlowDiskQuorumPeerMain.this.millis));
					factory.close();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}

		};
	}

	private static final class SlowLog extends FileTxnSnapLog {

		private final int millis;

		SlowLog(File log, File snapshots, int millis) throws IOException {
			super(log, snapshots);
			this.millis = millis;
		}

		@Override
		public void commit() throws IOException {
			super.commit();
			try {
				TimeUnit.MILLISECONDS.sleep(this.millis);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new InterruptedIOException("Interrupted while the disk is slow");
			}
		}

	}

}
