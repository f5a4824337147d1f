package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;

import org.jspecify.annotations.Nullable;

/**
 * A number that nobody else on this machine has, in another JVM or in this one, as long
 * as its port is bound: at most until the JVM ends. Nothing of it stays behind.
 *
 * @param number the number
 * @param port its port, at the loopback address
 */
record ClaimedNumber(int number, ServerSocket port) implements AutoCloseable {

	/**
	 * Claims the first number that is free.
	 * @param first the port of the number 1
	 * @param step how far the port of the next number is
	 * @param most the largest number; the smallest is 1
	 * @return the number
	 */
	static ClaimedNumber of(int first, int step, int most) {
		for (int number = 1; number <= most; number++) {
			ServerSocket port = bound(first + (number - 1) * step);
			if (port != null) {
				return new ClaimedNumber(number, port);
			}
		}
		throw new IllegalStateException("All %d numbers from port %d on are in use".formatted(most, first));
	}

	private static @Nullable ServerSocket bound(int port) {
		try {
			return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
		}
		catch (BindException ex) {
			// Another process has it, or this one
			return null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.port.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
