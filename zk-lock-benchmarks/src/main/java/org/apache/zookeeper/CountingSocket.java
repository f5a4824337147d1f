package org.apache.zookeeper;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

import org.apache.zookeeper.client.ZKClientConfig;

/**
 * The usual socket of a client, which counts what all clients of this JVM read. It is in
 * ZooKeeper's package because what it overrides is not public. The property
 * {@link #OPTION} chooses it.
 */
public final class CountingSocket extends ClientCnxnSocketNIO {

	/** The option of a JVM whose clients are to count. */
	public static final String OPTION = "-Dzookeeper.clientCnxnSocket=" + CountingSocket.class.getName();

	private static final LongAdder read = new LongAdder();

	/**
	 * Makes a socket, as ZooKeeper does.
	 * @param config the client's settings
	 * @throws IOException if it cannot be opened
	 */
	public CountingSocket(ZKClientConfig config) throws IOException {
		super(config);
	}

	/**
	 * Returns how much was read so far.
	 * @return bytes of frames with their lengths
	 */
	public static long bytesRead() {
		return read.sum();
	}

	@Override
	void readLength() throws IOException {
		super.readLength();
		read.add(Integer.BYTES + this.incomingBuffer.capacity());
	}

}
