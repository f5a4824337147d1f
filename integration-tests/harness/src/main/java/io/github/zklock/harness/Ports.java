package io.github.zklock.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds ports that nobody listens on, in a range that systems do not give to outgoing
 * connections, and no other JVM of these tests uses, so that they stay free until a
 * server takes them.
 */
public final class Ports {

	private static final int FIRST = 10_000;

	private static final int EACH = 500;

	private static final int JVMS = 40;

	private static final ClaimedNumber CLAIM = claim();

	// In turn, so that those of a server that was killed stay free until it is back
	private static final AtomicInteger NEXT = new AtomicInteger();

	private Ports() {
	}

	// By the first port of its range
	static ClaimedNumber claim() {
		return ClaimedNumber.of(FIRST, EACH, JVMS);
	}

	/**
	 * Finds ports that are free at the loopback address.
	 * @param count how many
	 * @return the ports, each another one
	 * @throws IllegalStateException if there are not as many
	 */
	public static List<Integer> free(int count) {
		int first = FIRST + (CLAIM.number() - 1) * EACH;
		Set<Integer> ports = new LinkedHashSet<>();
		for (int tried = 0; tried < EACH && ports.size() < count; tried++) {
			int port = first + Math.floorMod(NEXT.getAndIncrement(), EACH);
			if (isFree(port)) {
				ports.add(port);
			}
		}
		if (ports.size() < count) {
			throw new IllegalStateException(
					"Of %d ports from %d on only %d are free, not %d".formatted(EACH, first, ports.size(), count));
		}
		return List.copyOf(ports);
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
