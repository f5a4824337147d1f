package org.apache.zookeeper.server.quorum;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

import javax.security.sasl.SaslException;

import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

import io.github.zklock.harness.SlowLog;

/**
 * A ZooKeeper server of several whose disk takes longer to write what is forced to it. It
 * is in ZooKeeper's package because what it changes is not public.
 */
public final class SlowDiskQuorumPeerMain extends QuorumPeerMain {

	private final Duration longer;

	/**
	 * Creates a server that is not started.
	 * @param longer how much longer each forced write takes
	 */
	public SlowDiskQuorumPeerMain(Duration longer) {
		this.longer = longer;
	}

	/**
	 * Runs the server.
	 * @param configuration its configuration
	 * @throws Exception if it cannot
	 */
	public void run(QuorumPeerConfig configuration) throws Exception {
		runFromConfig(configuration);
	}

	@Override
	protected QuorumPeer getQuorumPeer() throws SaslException {
		return new QuorumPeer() {

			@Override
			public void setTxnFactory(FileTxnSnapLog factory) {
				try {
					// Both directories have been given the folder of the version
					super.setTxnFactory(new SlowLog(factory.getDataLogDir().getParentFile(),
							factory.getSnapDir().getParentFile(), SlowDiskQuorumPeerMain.this.longer));
					factory.close();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}

		};
	}

}
