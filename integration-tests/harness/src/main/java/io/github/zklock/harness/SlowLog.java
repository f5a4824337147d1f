package io.github.zklock.harness;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * The log of a ZooKeeper server on a disk that takes longer to write what is forced to
 * it.
 */
public final class SlowLog extends FileTxnSnapLog {

	private final long nanos;

	/**
	 * Opens a log.
	 * @param log where transactions go
	 * @param snapshots where snapshots go
	 * @param longer how much longer each forced write takes
	 * @throws IOException if it cannot be opened
	 */
	public SlowLog(File log, File snapshots, Duration longer) throws IOException {
		super(log, snapshots);
		this.nanos = longer.toNanos();
	}

	@Override
	public void commit() throws IOException {
		super.commit();
		long start = System.nanoTime();
		long left = this.nanos;
		// Thread.sleep() knows whole milliseconds only, before Java 21
		while (left > 0) {
			LockSupport.parkNanos(this, left);
			if (Thread.currentThread().isInterrupted()) {
				throw new InterruptedIOException("Interrupted while the disk is slow");
			}
			left = this.nanos - (System.nanoTime() - start);
		}
	}

}
