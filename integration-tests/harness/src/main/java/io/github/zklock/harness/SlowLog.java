package io.github.zklock.harness;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * The log of a ZooKeeper server on a disk that takes longer to write what is forced to
 * it.
 */
public final class SlowLog extends FileTxnSnapLog {

	private final int millis;

	/**
	 * Opens a log.
	 * @param log where transactions go
	 * @param snapshots where snapshots go
	 * @param millis how much longer each forced write takes
	 * @throws IOException if it cannot be opened
	 */
	public SlowLog(File log, File snapshots, int millis) throws IOException {
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
